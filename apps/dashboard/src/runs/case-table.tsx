import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { CaseCard, caseColumns } from "./case-columns.tsx";
import { CaseFilterBar } from "./case-filter-bar.tsx";
import type { CaseOrder, Run } from "./case-rows.ts";
import { metricKey } from "./metric-values.ts";
import type { RunCases } from "./run-cases.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");

/** The cases of a run with their ratings, loaded on scrolling. A row opens the case beside the table. */
export function CaseTable({
  run,
  cases,
  openKey,
  onOpen,
  onWhy,
}: {
  run: Run;
  cases: RunCases;
  openKey: string | undefined;
  onOpen(key: string): void;
  onWhy(key: string): void;
}) {
  const { sort = "rating", status, above, max, metric: metricShown } = route.useSearch();
  const metric = run.metrics.find((each) => metricKey(each) === metricShown);
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const isFiltered = status !== undefined || above !== undefined || max !== undefined;
  const isRepeated = cases.rows.some(({ ofCase }) => ofCase.results > 1);
  const hasBaseline = cases.rows.some(({ ofCase }) => ofCase.delta !== null);
  // Only the most important columns fit beside an open case.
  const isBrief = openKey !== undefined;
  const order = (next: CaseOrder): void => void navigate({ search: (before) => ({ ...before, sort: next }) });
  const columns = useMemo(
    () => caseColumns({ sort, order, isFiltered, isRepeated, hasBaseline, isBrief, metric, onWhy }),
    [sort, isFiltered, isRepeated, hasBaseline, isBrief, metric, cases.scorerId],
  );
  if (run.resultCount === 0) {
    return (
      <EmptyState title="No results yet">
        {run.status === "in_progress"
          ? "They appear here as they are sent."
          : "The run ended before any result was sent."}
      </EmptyState>
    );
  }
  return (
    <>
      <CaseFilterBar cases={cases} />
      <Loaded query={cases.query}>
        {() =>
          cases.rows.length === 0 ? (
            <EmptyState
              title="No case matches"
              actions={
                <Button onClick={() => void navigate({ search: ({ scorer, sort: by }) => ({ scorer, sort: by }) })}>
                  Show all cases
                </Button>
              }
            />
          ) : (
            <DataTable
              label="Cases"
              rows={cases.rows}
              columns={columns}
              rowKey={({ key }) => key}
              activeKey={openKey}
              onActivate={({ key }) => onOpen(key)}
              onReachEnd={cases.readOn}
              card={(row) => <CaseCard row={row} onWhy={onWhy} />}
              rowHeight={36}
              cardHeight={84}
            />
          )
        }
      </Loaded>
    </>
  );
}
