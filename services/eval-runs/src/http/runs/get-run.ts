import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { answerPieces } from "../../json/answer-pieces.ts";
import { readAllOrNone } from "../../queries/read-query.ts";
import type { ResultStore } from "../../results/result-store.ts";
import { type CountingDependencies, countRun } from "../../runs/count-runs.ts";
import type { KnownIntervals } from "../../runs/known-intervals.ts";
import { renderRun, renderRunAlone, type ShownRun } from "../../runs/render-run.ts";
import { requireRun } from "../../runs/require-run.ts";
import type { RunStore } from "../../runs/run-store.ts";
import type { RunShower } from "../../runs/show-runs.ts";

/** GET /custom-agent-evaluations/runs/{runId} (completions 5.5): one page of its results at a time, however many there are. */
export function getRun({
  runs,
  shower,
  intervals,
  ...counting
}: CountingDependencies & {
  runs: RunStore;
  results: ResultStore;
  shower: RunShower;
  intervals: KnownIntervals;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const withResults = readAllOrNone(call.query, "results");
    const withCaseStatistics = readAllOrNone(call.query, "caseStatistics");
    const run = await requireRun(runs, projectId, call.params.runId);
    const [known] = await shower.show(projectId, [run]);
    const shown = known as ShownRun;
    const { signal } = call;
    if (withResults) {
      const pages = counting.results.pages(projectId, run.id);
      return answerPieces(renderRun(shown, pages, { withCaseStatistics, signal }));
    }
    const counts = await countRun(counting, projectId, { id: run.id, plan: shown.plan });
    const interval = await intervals.estimate(projectId, run, counts.caseRatings, signal);
    return { status: 200, body: renderRunAlone(shown, counts, interval, withCaseStatistics) };
  };
}
