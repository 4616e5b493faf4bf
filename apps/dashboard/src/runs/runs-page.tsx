import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { FirstRun } from "./first-run.tsx";
import { gatesQuery, runsQuery } from "./queries.ts";
import { RunCard, type RunRow, runColumns } from "./run-columns.tsx";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { filtersOf } from "./run-filters.ts";
import { comparisonOf, toggleRun } from "./selected-runs.ts";

const route = getRouteApi("/p/$projectId/runs");

/** All runs, newest first; two or more can be selected for a comparison. */
export function RunsPage() {
  const api = useApi();
  const { projectId } = api;
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs" });
  const filters = filtersOf(search);
  const runs = useInfiniteQuery(runsQuery(api, filters));
  const loaded = useMemo(() => (runs.data?.pages ?? []).flatMap((page) => page.runs), [runs.data]);
  const ids = useMemo(() => loaded.map(({ _id }) => _id), [loaded]);
  // The verdicts that are shown stay while those of further runs are read.
  const gates = useQuery({ ...gatesQuery(api, ids), placeholderData: keepPreviousData });
  const [activeKey, setActive] = useState<string>();
  const selected = search.selected ?? [];

  const rows = useMemo(
    (): RunRow[] => loaded.map((run) => ({ ...run, gate: gates.data?.get(run._id) })),
    [loaded, gates.data],
  );

  const toggle = (id: string): void =>
    void navigate({
      search: (before) => ({ ...before, selected: toggleRun(before.selected ?? [], id) }),
      replace: true,
    });
  const acts = useMemo(
    () => ({ projectId, isSelected: (id: string) => selected.includes(id), onToggle: toggle }),
    [projectId, search.selected],
  );
  const columns = useMemo(() => runColumns(acts), [acts]);
  const comparison = comparisonOf(selected, rows);
  const compare = (): void => {
    if (typeof comparison === "string") return;
    const { baseline, candidates } = comparison;
    void navigate({
      to: "/p/$projectId/runs/compare",
      params: { projectId },
      search: { baseline, candidate: candidates },
    });
  };
  useShortcuts("Runs", [
    { keys: "x", label: "Select the row to compare it", run: () => activeKey !== undefined && toggle(activeKey) },
    { keys: "c", label: "Compare what is selected", run: compare },
  ]);
  const totalCount = runs.data?.pages[0]?.totalCount;

  return (
    <Page
      title="Runs"
      aside={
        totalCount !== undefined && totalCount > 0 && <span className="tabular-nums">{formatCount(totalCount)}</span>
      }
      isFull
      actions={
        <>
          {selected.length > 0 && (
            <Button
              look="ghost"
              onClick={() => void navigate({ search: (before) => ({ ...before, selected: undefined }) })}
            >
              Clear selection
            </Button>
          )}
          <Button
            look={selected.length >= 2 ? "primary" : "plain"}
            disabled={typeof comparison === "string"}
            hint={typeof comparison === "string" ? comparison : "The oldest of them is the baseline"}
            onClick={compare}
          >
            {selected.length >= 2 ? `Compare ${countOf(selected.length, "run")}` : "Compare"}
          </Button>
        </>
      }
    >
      <RunFilterBar />
      <Loaded query={runs}>
        {() =>
          rows.length === 0 && !runs.isPlaceholderData ? (
            Object.keys(filters).length > 0 ? (
              <EmptyState
                title="No run matches"
                actions={
                  <Button onClick={() => void navigate({ search: ({ selected: kept }) => ({ selected: kept }) })}>
                    Clear filters
                  </Button>
                }
              />
            ) : (
              <FirstRun />
            )
          ) : (
            <DataTable
              label="Runs"
              rows={rows}
              columns={columns}
              rowKey={({ _id }) => _id}
              activeKey={activeKey}
              onActivate={({ _id }) => setActive(_id)}
              onOpen={({ _id }) =>
                void navigate({ to: "/p/$projectId/runs/$runId", params: { projectId, runId: _id } })
              }
              isSelected={({ _id }) => selected.includes(_id)}
              card={(run) => <RunCard run={run} {...acts} />}
              rowHeight={36}
              cardHeight={92}
              onReachEnd={() => runs.hasNextPage && !runs.isFetchingNextPage && void runs.fetchNextPage()}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
