import type { Handler } from "@touchstone/service-kit";
import type { Gradings } from "../../grading/gradings.ts";
import type { ResultStore } from "../../results/result-store.ts";
import { renderRun } from "../../runs/render-run.ts";
import type { RunStore } from "../../runs/run-store.ts";
import { answerPieces } from "../answer-pieces.ts";
import { requireProject } from "../require-project.ts";
import { requireRun } from "../require-run.ts";

/** GET /custom-agent-evaluations/runs/{runId} (interface; completions 5.5): one page of its results at a time, however many there are. */
export function getRun({
  runs,
  results,
  gradings,
}: {
  runs: RunStore;
  results: ResultStore;
  gradings: Pick<Gradings, "planOf">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    const plan = await gradings.planOf(projectId, run);
    return answerPieces(renderRun(run, plan, results.pages(projectId, run.id), call.signal));
  };
}
