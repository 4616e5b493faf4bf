import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { allDatasetsQuery } from "../blocks/dataset-summaries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { countOf } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { FirstRun } from "./first-run.tsx";
import { gatesQuery, runsQuery } from "./queries.ts";
import { RunCard, type RunRow, runColumns } from "./run-columns.tsx";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { comparisonOf, toggleRun } from "./selected-runs.ts";

const route = getRouteApi("/p/$projectId/runs");

/** All runs, newest first; two or more can be chosen and compared. */
export function RunsPage() {
  const api = useApi();
  const { projectId } = api;
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs" });
  const runs = useInfiniteQuery(runsQuery(api, search));
  const datasets = useQuery(allDatasetsQuery(api));
  const gates = useQuery(gatesQuery(api));
  const [activeKey, setActive] = useState<string>();
  const selected = search.selected ?? [];

  const rows = useMemo((): RunRow[] => {
    const names = new Map(datasets.data?.map(({ _id, name }) => [_id, name]));
    return (runs.data?.pages ?? []).flatMap((page) =>
      page.runs.map((run) => ({
        ...run,
        datasetLabel: names.get(run.datasetId) ?? "-",
        gate: gates.data?.get(run._id),
      })),
    );
  }, [runs.data, datasets.data, gates.data]);

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
  const isFiltered = search.dataset !== undefined || search.status !== undefined;

  return (
    <Page
      title="Runs"
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
      <RunFilterBar datasets={datasets.data ?? []} />
      <Loaded query={runs}>
        {() =>
          rows.length === 0 ? (
            isFiltered ? (
              <EmptyState
                title="No run matches"
                actions={<Button onClick={() => void navigate({ search: {} })}>Clear filters</Button>}
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
