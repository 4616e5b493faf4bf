import { type analyzeRunReply, routes } from "@touchstone/contracts";
import {
  AppError,
  createLimitInHand,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { answerPieces } from "../json/answer-pieces.ts";
import type { ResultStore } from "../results/result-store.ts";
import { type RunStore, requireRun } from "../runs/run-store.ts";
import type { AnalysisStore } from "./analysis-store.ts";
import { type AnalysisDependencies, analyzeRun as analyze } from "./analyze-run.ts";
import { renderReport, showAnalysisStatus } from "./show-analysis.ts";

/** The analysis of a run and its report. */
export function analysisRoutes(dependencies: AnalysisDependencies & { runs: RunStore }): ServedRoute[] {
  return [
    { route: routes.analyzeRun, handle: analyzeRun(dependencies) },
    { route: routes.getAnalysisStatus, handle: getAnalysisStatus(dependencies) },
    { route: routes.getReport, handle: getReport(dependencies) },
  ];
}

/** completions 5.9: further judges are ignored. */
const judgesMax = 3;
/** Concurrent analyses per process. */
const inHandMax = 100;

/** POST /custom-agent-evaluations/runs/{runId}/analyze (completions 5.9): responds when the analysis is stored. */
function analyzeRun(dependencies: AnalysisDependencies & { runs: RunStore }): Handler {
  const limit = createLimitInHand(inHandMax, "Too many runs are being analyzed at the moment; retry.");
  return async (call) => {
    const projectId = requireProject(call);
    const { value } = await readJsonObject(call);
    const { judges, qualityMode = "balanced" } = parseBody(value, routes.analyzeRun.body);
    const models = [...new Set(judges?.map(({ model }) => model))].slice(0, judgesMax);
    const run = await requireRun(dependencies.runs, projectId, call.params.runId);
    const { organizationId } = call.identity;
    const outcome = await limit(() => analyze(dependencies, { projectId, organizationId, run, models, qualityMode }));
    const reply: z.input<typeof analyzeRunReply> = {
      evaluationId: run.id,
      jobId: run.id,
      status: outcome.failure === null ? "completed" : "failed",
      mode: "sync",
      qualityMode,
    };
    return { status: 200, body: reply };
  };
}

/** GET /custom-agent-evaluations/runs/{runId}/analyze-status (completions 5.9). */
function getAnalysisStatus({ runs, analyses }: { runs: RunStore; analyses: AnalysisStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    return { status: 200, body: showAnalysisStatus(run, await analyses.find(projectId, run.id)) };
  };
}

/** GET /custom-agent-evaluations/runs/{runId}/report (interface: Report): the last analysis that ended. */
function getReport({
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
