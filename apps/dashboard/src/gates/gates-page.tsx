import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { BranchSummary } from "./branch-summary.tsx";
import { GateFilters } from "./gate-filters.tsx";
import { NoGates } from "./no-gates.tsx";
import { datasetNamesQuery, verdictsQuery } from "./queries.ts";
import { TryGatePanel } from "./try-gate-panel.tsx";
import { branchesOf, filterVerdicts, type Verdict } from "./verdicts.ts";
import { VerdictsTable } from "./verdicts-table.tsx";

const route = getRouteApi("/p/$projectId/gates");

/** What gates and pipelines said, by branch and commit, and a place to try a gate. */
export function GatesPage() {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates" });
  const verdicts = useQuery(verdictsQuery(api));
  const names = useQuery(datasetNamesQuery(api));
  const isTrying = search.try === true;
  return (
    <Page
      title="Gates"
      isFull
      actions={
        verdicts.data &&
        verdicts.data.length > 0 && (
          <Button
            aria-pressed={isTrying}
            onClick={() => void navigate({ search: (before) => ({ ...before, try: isTrying ? undefined : true }) })}
          >
            Try a gate
          </Button>
        )
      }
    >
      <Loaded query={verdicts}>
        {(all) =>
          all.length === 0 && !isTrying ? (
            <NoGates names={names.data} />
          ) : (
            <div className="flex min-h-0 min-w-0 flex-1">
              <Verdicts all={all} names={names.data} />
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

function Verdicts({ all, names }: { all: readonly Verdict[]; names: ReadonlyMap<string, string> | undefined }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates" });
  const { branch, commit, dataset } = search;
  const found = useMemo(() => filterVerdicts(all, { branch, commit, dataset }), [all, branch, commit, dataset]);
  const branches = useMemo(() => branchesOf(all), [all]);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <GateFilters branches={branches} names={names} />
      <BranchSummary verdicts={all} branches={branches} names={names} />
      {found.length > 0 ? (
        <VerdictsTable verdicts={found} names={names} isCompact={search.try === true} />
      ) : (
        <EmptyState
          title="No verdict matches"
          actions={<Button onClick={() => void navigate({ search: {} })}>Clear filters</Button>}
        >
          None of the {all.length} verdicts is of this branch, commit and dataset.
        </EmptyState>
      )}
    </div>
  );
}
