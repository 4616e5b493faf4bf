import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { AnalysisStore } from "../../analyses/analysis-store.ts";
import { showAnalysisStatus } from "../../analyses/show-analysis.ts";
import { requireRun } from "../../runs/require-run.ts";
import type { RunStore } from "../../runs/run-store.ts";

/** GET /custom-agent-evaluations/runs/{runId}/analyze-status (completions 5.9). */
export function getAnalysisStatus({ runs, analyses }: { runs: RunStore; analyses: AnalysisStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    return { status: 200, body: showAnalysisStatus(run, await analyses.find(projectId, run.id)) };
  };
}
