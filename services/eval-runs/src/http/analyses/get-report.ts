import { AppError, type Handler, requireProject } from "@touchstone/service-kit";
import type { AnalysisStore } from "../../analyses/analysis-store.ts";
import { renderReport } from "../../analyses/show-analysis.ts";
import { answerPieces } from "../../json/answer-pieces.ts";
import type { ResultStore } from "../../results/result-store.ts";
import { requireRun } from "../../runs/require-run.ts";
import type { RunStore } from "../../runs/run-store.ts";

/** GET /custom-agent-evaluations/runs/{runId}/report (interface: Report): of the last analysis that ended. */
export function getReport({
  runs,
  results,
  analyses,
}: {
  runs: RunStore;
  results: ResultStore;
  analyses: AnalysisStore;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    const analysis = await analyses.find(projectId, run.id);
    if (analysis === null || analysis.last === null) {
      throw new AppError("not_found", "No analysis found for this run. POST /runs/:runId/analyze first.");
    }
    const outline = await results.outline(projectId, run.id);
    return answerPieces(renderReport(run, analysis.last, outline, (ids) => results.pagesOf(projectId, ids)));
  };
}
