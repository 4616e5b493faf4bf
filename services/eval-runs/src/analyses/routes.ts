import { type analyzeRunReply, routes } from "@touchstone/contracts";
import {
  AppError,
  createLimitInHand,
  type Handler,
  isJsonObject,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { answerPieces } from "../json/answer-pieces.ts";
import type { ResultStore } from "../results/result-store.ts";
import { type RunStore, requireRun } from "../runs/run-store.ts";
import type { AnalysisStore } from "./analysis-store.ts";
import { type AnalysisDependencies, type AnalysisRequest, analyzeRun as analyze } from "./analyze-run.ts";
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
const modelMaxChars = 200;
/** Concurrent analyses per process. */
const inHandMax = 100;

/** POST /custom-agent-evaluations/runs/{runId}/analyze (completions 5.9): responds when the analysis is stored. */
function analyzeRun(dependencies: AnalysisDependencies & { runs: RunStore }): Handler {
  const limit = createLimitInHand(inHandMax, "Too many runs are being analyzed at the moment; retry.");
  return async (call) => {
    const projectId = requireProject(call);
    const { value } = await readJsonObject(call);
    const { models, qualityMode } = readBody(value);
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

function readBody({ judges, qualityMode }: Record<string, unknown>): Pick<AnalysisRequest, "models" | "qualityMode"> {
  if (qualityMode !== undefined && qualityMode !== "balanced" && qualityMode !== "quality_first") {
    throw new AppError("bad_request", 'qualityMode must be "balanced" or "quality_first"');
  }
  return { models: readModels(judges), qualityMode: qualityMode ?? "balanced" };
}

function readModels(judges: unknown): string[] {
  if (judges === undefined || judges === null) return [];
  const models = Array.isArray(judges)
    ? judges.map((judge) => (isJsonObject(judge) ? judge.model : undefined))
    : [null];
  const named = models.filter((model) => typeof model === "string" && model !== "" && model.length <= modelMaxChars);
  if (named.length !== models.length) throw new AppError("bad_request", "judges must be an array of { model }");
  return [...new Set(named as string[])].slice(0, judgesMax);
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
