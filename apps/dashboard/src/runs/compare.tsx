import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Loaded } from "../ui/states.tsx";
import { CandidateList } from "./candidate-list.tsx";
import { ChosenRuns } from "./chosen-runs.tsx";
import { CompareCase } from "./compare-case.tsx";
import { type CompareOrder, compareRows, showRows, sortRows } from "./compare-rows.ts";
import { CompareTable } from "./compare-table.tsx";
import { comparisonQuery, runQuery } from "./queries.ts";
import { ScorerChoice } from "./scorer-choice.tsx";
import { type ComparedRuns, replaceRun } from "./selected-runs.ts";
import { ShowFilter } from "./show-filter.tsx";

const route = getRouteApi("/p/$projectId/runs/compare");

/** The verdict on each candidate, and the cases of the selected one. */
export function Compare({
  baseline,
  candidates,
  onChange,
}: {
  baseline: string;
  candidates: string[];
  onChange(next: ComparedRuns): void;
}) {
  const api = useApi();
  const { of, show, sort = "delta", scorer, case: openKey } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  const comparisons = useQueries({
    queries: candidates.map((candidate) => comparisonQuery(api, { baseline, candidate, scorer })),
  });
  const chosenIndex = Math.max(0, candidates.indexOf(of ?? ""));
  const chosenId = candidates[chosenIndex] ?? "";
  const chosen = comparisons[chosenIndex];
  const baselineRun = useQuery(runQuery(api, baseline)).data;
  const candidateRun = useQuery({ ...runQuery(api, chosenId), enabled: chosenId !== "" }).data;
  const rows = useMemo(() => (chosen?.data === undefined ? [] : compareRows(chosen.data)), [chosen?.data]);
  const shown = useMemo(() => sortRows(showRows(rows, show), sort), [rows, show, sort]);
  const open = rows.find(({ key }) => key === openKey);
  const choose = (key: string | undefined, why?: "candidate" | "baseline"): void =>
    void navigate({
      search: (before) => ({ ...before, case: key, ...((key === undefined || why) && { why }) }),
      replace: openKey !== undefined && why === undefined,
    });
  const swap = (): void => {
    if (chosenId === "") return;
    onChange(replaceRun({ baseline, candidate: candidates }, baseline, chosenId));
  };
  useShortcuts("Compare", [{ keys: "s", label: "Swap baseline and candidate", run: swap }]);
  return (
    <Page title="Compare runs" isFull>
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col overflow-y-auto">
          <div className="flex flex-col gap-4 px-4 pb-4 md:px-6">
            <ChosenRuns
              baseline={baseline}
              candidates={candidates}
              dataset={baselineRun && { id: baselineRun.datasetId, name: baselineRun.datasetName }}
              onChange={onChange}
              onSwap={swap}
            />
            <CandidateList
              candidates={candidates}
              comparisons={comparisons}
              chosenIndex={chosenIndex}
              onChoose={(id) => void navigate({ search: (before) => ({ ...before, of: id, case: undefined }) })}
            />
          </div>
          {chosen !== undefined && (
            <Loaded query={chosen}>
              {() => (
                <div className="flex min-h-96 flex-1 flex-col border-t border-line max-md:h-[75dvh] max-md:flex-none">
                  <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 md:px-6">
                    <ShowFilter rows={rows} />
                    <ScorerChoice runs={[baselineRun, candidateRun]} />
                  </div>
                  <CompareTable
                    rows={shown}
                    sort={sort}
                    onSort={(next: CompareOrder) => void navigate({ search: (before) => ({ ...before, sort: next }) })}
                    openKey={openKey}
                    onOpen={choose}
                  />
                </div>
              )}
            </Loaded>
          )}
        </div>
        {open !== undefined && chosen?.data !== undefined && (
          <CompareCase
            key={open.key}
            row={open}
            comparison={chosen.data}
            runs={{ baseline: baselineRun, candidate: candidateRun }}
            shown={shown}
            onChoose={choose}
          />
        )}
      </div>
    </Page>
  );
}
