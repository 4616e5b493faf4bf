import { AppError, type Handler, isUuid } from "@touchstone/service-kit";
import type { ResultStore } from "../../results/result-store.ts";
import { renderRun } from "../../runs/render-run.ts";
import type { RunStore } from "../../runs/run-store.ts";
import { requireProject } from "../require-project.ts";

/** GET /custom-agent-evaluations/runs/{runId} (interface; completions 5.5): two queries, however many results. */
export function getRun({ runs, results }: { runs: RunStore; results: ResultStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    const run = isUuid(runId) ? await runs.find(projectId, runId) : null;
    if (run === null) throw new AppError("not_found", "Run not found");
    return { status: 200, body: renderRun(run, await results.list(projectId, runId)) };
  };
}
