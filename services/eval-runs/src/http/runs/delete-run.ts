import { AppError, actOf, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { RunStore } from "../../runs/run-store.ts";

/** DELETE /custom-agent-evaluations/runs/{runId} (completions 5.5): with its results, analysis and gates. */
export function deleteRun({ runs }: { runs: RunStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    const isGone = isUuid(runId) && (await runs.remove(projectId, runId, actOf(call.identity)));
    if (!isGone) throw new AppError("not_found", "Run not found");
    return { status: 200, body: { deleted: true } };
  };
}
