import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Loaded } from "../ui/states.tsx";
import { CandidateList } from "./candidate-list.tsx";
import { ChosenRuns, type ChosenSearch } from "./chosen-runs.tsx";
import { CompareCase } from "./compare-case.tsx";
import { compareRows, showRows } from "./compare-rows.ts";
import { CompareTable } from "./compare-table.tsx";
import { comparisonQuery, runQuery } from "./queries.ts";
import { ShowFilter } from "./show-filter.tsx";

const route = getRouteApi("/p/$projectId/runs/compare");

/** The verdict on each candidate, and the cases of the one that is looked at. */
export function Compare({
  baseline,
  candidates,
  onChange,
}: {
  baseline: string;
  candidates: readonly string[];
  onChange(next: ChosenSearch): void;
}) {
  const api = useApi();
  const { of, show, case: openKey } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  const comparisons = useQueries({ queries: candidates.map((id) => comparisonQuery(api, baseline, id)) });
  const chosenIndex = Math.max(0, candidates.indexOf(of ?? ""));
  const chosen = comparisons[chosenIndex];
  const baselineRun = useQuery(runQuery(api, baseline));
  const rows = useMemo(() => (chosen?.data === undefined ? [] : compareRows(chosen.data)), [chosen?.data]);
  const shown = useMemo(() => showRows(rows, show), [rows, show]);
  const open = rows.find(({ key }) => key === openKey);
  const choose = (key: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, case: key }), replace: openKey !== undefined });
  const swap = (): void => {
    const candidate = candidates[chosenIndex];
    if (candidate === undefined) return;
    onChange({ baseline: candidate, candidate: candidates.map((id) => (id === candidate ? baseline : id)) });
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
              datasetId={baselineRun.data?.datasetId}
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
                  <ShowFilter rows={rows} />
                  <CompareTable rows={shown} openKey={openKey} onOpen={choose} />
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
            shown={shown}
            datasetId={baselineRun.data?.datasetId}
            onChoose={choose}
          />
        )}
      </div>
    </Page>
  );
}
