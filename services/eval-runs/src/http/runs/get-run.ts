import type { Handler } from "@touchstone/service-kit";
import { readAllOrNone } from "../../gates/gate-request.ts";
import type { ResultStore } from "../../results/result-store.ts";
import { renderRun, type ShownRun } from "../../runs/render-run.ts";
import type { RunStore } from "../../runs/run-store.ts";
import type { RunShower } from "../../runs/show-runs.ts";
import { answerPieces } from "../answer-pieces.ts";
import { requireProject } from "../require-project.ts";
import { requireRun } from "../require-run.ts";

/** GET /custom-agent-evaluations/runs/{runId} (interface; completions 5.5): one page of its results at a time, however many there are. */
export function getRun({
  runs,
  results,
  shower,
}: {
  runs: RunStore;
  results: ResultStore;
  shower: RunShower;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const withResults = readAllOrNone(call.query, "results");
    const withCaseStatistics = readAllOrNone(call.query, "caseStatistics");
    const run = await requireRun(runs, projectId, call.params.runId);
    const [known] = await shower.show(projectId, [run]);
    const { signal } = call;
    const pages = results.pages(projectId, run.id);
    return answerPieces(renderRun(known as ShownRun, pages, { withResults, withCaseStatistics, signal }));
  };
}
