import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { BranchSummary } from "./branch-summary.tsx";
import { GateFilters } from "./gate-filters.tsx";
import { NoGates } from "./no-gates.tsx";
import { datasetNamesQuery, newestVerdictsQuery, verdictsQuery } from "./queries.ts";
import { TryGatePanel } from "./try-gate-panel.tsx";
import { branchesOf, type Verdict } from "./verdicts.ts";
import { VerdictsTable } from "./verdicts-table.tsx";

const route = getRouteApi("/p/$projectId/gates");

/** What gates and pipelines said, by branch and commit, and a place to try a gate. */
export function GatesPage() {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates" });
  const newest = useQuery(newestVerdictsQuery(api));
  const names = useQuery(datasetNamesQuery(api));
  const isTrying = search.try === true;
  return (
    <Page
      title="Gates"
      isFull
      aside={<Total />}
      actions={
        newest.data &&
        newest.data.length > 0 && (
          <Button
            aria-pressed={isTrying}
            onClick={() => void navigate({ search: (before) => ({ ...before, try: isTrying ? undefined : true }) })}
          >
            Try a gate
          </Button>
        )
      }
    >
      <Loaded query={newest}>
        {(recent) =>
          recent.length === 0 && !isTrying ? (
            <NoGates names={names.data} />
          ) : (
            <div className="flex min-h-0 min-w-0 flex-1">
              <Verdicts recent={recent} names={names.data} />
              {isTrying && (
                <TryGatePanel
                  names={names.data}
                  onClose={() => void navigate({ search: (before) => ({ ...before, try: undefined }) })}
                />
              )}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function useVerdicts() {
  const { branch, commit, dataset } = route.useSearch();
  return useInfiniteQuery(verdictsQuery(useApi(), { branch, commit, dataset }));
}

/** How many match the filters. */
function Total() {
  const total = useVerdicts().data?.pages[0]?.totalCount;
  return total ? <span className="tabular-nums">{formatCount(total)}</span> : null;
}

function Verdicts({ recent, names }: { recent: Verdict[]; names: ReadonlyMap<string, string> | undefined }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates" });
  const verdicts = useVerdicts();
  const branches = useMemo(() => branchesOf(recent), [recent]);
  const found = useMemo(() => verdicts.data?.pages.flatMap((page) => page.verdicts) ?? [], [verdicts.data]);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <GateFilters branches={branches} names={names} />
      <BranchSummary recent={recent} branches={branches} names={names} />
      <Loaded query={verdicts}>
        {() =>
          found.length > 0 ? (
            <VerdictsTable
              verdicts={found}
              names={names}
              isCompact={search.try === true}
              onReachEnd={() => {
                if (verdicts.hasNextPage && !verdicts.isFetching) void verdicts.fetchNextPage();
              }}
            />
          ) : (
            <EmptyState
              title="No verdict matches"
              actions={<Button onClick={() => void navigate({ search: {} })}>Clear filters</Button>}
            >
              No verdict is of this branch, commit and dataset.
            </EmptyState>
          )
        }
      </Loaded>
    </div>
  );
}
