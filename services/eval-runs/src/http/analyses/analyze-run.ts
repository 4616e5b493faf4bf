import type { analyzeRunReply } from "@touchstone/contracts";
import {
  AppError,
  createLimitInHand,
  type Handler,
  isJsonObject,
  readJsonObject,
  requireProject,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { type AnalysisDependencies, type AnalysisRequest, analyzeRun as analyze } from "../../analyses/analyze-run.ts";
import { requireRun } from "../../runs/require-run.ts";
import type { RunStore } from "../../runs/run-store.ts";

/** completions 5.9: more are not used. */
const judgesMax = 3;
const modelMaxChars = 200;
/** Analyses of one process at a time. */
const inHandMax = 100;

/** POST /custom-agent-evaluations/runs/{runId}/analyze (completions 5.9): answers when it is stored. */
export function analyzeRun(dependencies: AnalysisDependencies & { runs: RunStore }): Handler {
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
