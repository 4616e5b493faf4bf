import { randomUUID } from "node:crypto";
import { type Bus, isBusError } from "@touchstone/bus";
import { type AnalysisNarrative, scoreResult, writeAnalysis } from "@touchstone/contracts";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { z } from "zod";
import type { EvaluationCase, Grading } from "../grading/cases.ts";
import { type Grader, gradersOf } from "../grading/plan.ts";
import type { ResultStore } from "../results/result-store.ts";
import type { Gradings } from "../runs/gradings.ts";
import { revisionOfResults, type StoredRun } from "../runs/run-store.ts";
import type { Timings } from "../timings.ts";
import type { AnalysisOutcome, AnalysisScope, AnalysisStore } from "./analysis-store.ts";
import {
  type AnalyzedResult,
  chooseSample,
  computeReportStatistics,
  readAnalyzedResult,
  selectRated,
} from "./report-statistics.ts";

export interface AnalysisRequest {
  projectId: string;
  organizationId: string | null;
  run: StoredRun;
  /** Judges to analyse with, by model; empty = only the default model. */
  models: readonly string[];
  qualityMode: AnalysisOutcome["qualityMode"];
}

export interface AnalysisDependencies {
  bus: Bus;
  analyses: AnalysisStore;
  results: ResultStore;
  gradings: Gradings;
  timings: Timings;
  logger: Logger;
  /** Aborts when the service stops. */
  signal: AbortSignal;
}

/** Results rated again at the same time. Low, so that an analysis does not crowd out runs that are being scored. */
const atOnceMax = 6;
/** Time reserved for the narrative. */
const narrativeMs = 60_000;
/** For each text of the sample; more than the judge reads of it. Complete outputs would not fit into one message. */
const sampledTextMaxChars = 5_000;

/**
 * Analyses a run and stores the outcome (completions 5.9): each judge rates a sample again, then one call writes the narrative.
 * A judge failure fails the analysis, never the call. Throws `conflict` while another analysis is running.
 */
export async function analyzeRun(
  dependencies: AnalysisDependencies,
  request: AnalysisRequest,
): Promise<AnalysisOutcome> {
  const { analyses, timings, logger, signal } = dependencies;
  const { projectId, run } = request;
  const scope: AnalysisScope = { projectId, runId: run.id, holder: randomUUID() };
  if (!(await analyses.begin(scope, timings.leaseMs))) {
    throw new AppError("conflict", "Analysis already running for this run");
  }
  let progress = 0;
  const heartbeat = setInterval(() => {
    analyses
      .renew(scope, timings.leaseMs, progress)
      .catch((err) => logger.warn({ err }, "a lease could not be renewed"));
  }, timings.heartbeatMs);
  try {
    const outcome = await writeOutcome(dependencies, request, (done) => {
      progress = done;
    });
    signal.throwIfAborted();
    if (!(await analyses.finish(scope, outcome, revisionOfResults(run)))) {
      throw new AppError("conflict", "Analysis already running for this run");
    }
    return outcome;
  } catch (thrown) {
    await analyses.release(scope).catch((err) => logger.warn({ err }, "an analysis was left to its lease"));
    throw thrown;
  } finally {
    clearInterval(heartbeat);
  }
}

async function writeOutcome(
  dependencies: AnalysisDependencies,
  request: AnalysisRequest,
  onProgress: (done: number) => void,
): Promise<AnalysisOutcome> {
  const { results, gradings, timings } = dependencies;
  const { projectId, run, models, qualityMode } = request;
  const deadlineMs = performance.now() + timings.batchMs - timings.storeMs;
  const end = (found: { narrative: AnalysisNarrative } | { failure: string }): AnalysisOutcome => ({
    narrative: "narrative" in found ? found.narrative : null,
    failure: "failure" in found ? found.failure : null,
    judges: models,
    qualityMode,
  });

  const rated = selectRated(await results.outline(projectId, run.id));
  const statistics = computeReportStatistics(rated);
  if (statistics === null) return end({ failure: "No scored results yet - nothing to analyze." });

  const grading = await gradings.ofRun(projectId, run);
  const sample: AnalyzedResult[] = [];
  for await (const page of results.pagesOf(
    projectId,
    chooseSample(rated).map(({ id }) => id),
  )) {
    sample.push(...page.map(readAnalyzedResult));
  }
  const reratings = await rateAnew(dependencies, request, { grading, sample, deadlineMs, onProgress });
  onProgress(0.9);
  const [criteria] = gradersOf(grading.plan);
  return end(
    await askNarrative(dependencies, deadlineMs, {
      projectId,
      organizationId: request.organizationId,
      model: models[0] ?? null,
      criteria: {
        acceptance: criteria?.acceptanceCriteria ?? null,
        rejection: criteria?.rejectionCriteria ?? null,
        evaluation: criteria?.evaluationCriteria ?? null,
      },
      statistics,
      sample: sample.map((result, index) => ({
        query: beginOf(result.query),
        expected: beginExpected(caseOf(grading, result)),
        response: beginOf(result.response),
        rating: result.rating,
        justification: beginOf(result.justification),
        reratings: reratings[index] ?? [],
      })),
    }),
  );
}

interface Rerating {
  grading: Grading;
  sample: readonly AnalyzedResult[];
  deadlineMs: number;
  onProgress: (done: number) => void;
}

/** Each judge's new ratings, per result of the sample. Results that a judge cannot rate are left out. */
async function rateAnew(
  dependencies: AnalysisDependencies,
  request: AnalysisRequest,
  { grading, sample, deadlineMs, onProgress }: Rerating,
): Promise<number[][]> {
  const [grader] = gradersOf(grading.plan);
  const reratings: number[][] = sample.map(() => []);
  if (grader === undefined) return reratings;
  const judges = composeJudges(grader, request.models);
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (next < sample.length) {
      const index = next;
      next += 1;
      const result = sample[index] as AnalyzedResult;
      // An error has no output to rate.
      if (!result.isFailed) {
        const leftMs = deadlineMs - performance.now() - Math.min(narrativeMs, dependencies.timings.batchMs / 4);
        reratings[index] = await askRatings(dependencies, request, judges, result, caseOf(grading, result), leftMs);
      }
      done += 1;
      onProgress((0.9 * done) / sample.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, sample.length) }, work));
  return reratings;
}

function composeJudges(grader: Grader, models: readonly string[]): Grader[] {
  const named = models.length === 0 ? [null] : models;
  // Context and tools of the run are not stored; only the criteria are rated.
  return named.map((model, index) => ({
    ...grader,
    id: `analysis-${index + 1}`,
    model,
    judgePrompt: null,
    toolContext: "none",
  }));
}

async function askRatings(
  { bus, timings, signal }: AnalysisDependencies,
  { projectId, organizationId, run }: AnalysisRequest,
  judges: readonly Grader[],
  result: AnalyzedResult,
  evaluationCase: EvaluationCase | null,
  leftMs: number,
): Promise<number[]> {
  const timeoutMs = Math.floor(Math.min(timings.resultMs, leftMs));
  if (timeoutMs <= 0) return [];
  try {
    const { verdicts } = await bus.request(
      scoreResult,
      {
        projectId,
        organizationId,
        judges: [...judges],
        case: {
          input: result.query ?? "",
          output: result.response ?? "",
          expected: evaluationCase?.expectedResults ?? null,
          context: null,
          guideline: evaluationCase?.judgeGuideline ?? null,
        },
        similarity: { jaccard: false, bleu: false, rouge: false, vector: null },
        verdictMode: run.verdictMode,
      },
      { timeoutMs, signal },
    );
    return verdicts.flatMap(({ rating }) => (rating === null ? [] : [rating]));
  } catch (thrown) {
    if (signal.aborted || !isBusError(thrown)) throw thrown;
    return [];
  }
}

type NarrativeRequest = z.input<typeof writeAnalysis.body>;

async function askNarrative(
  { bus, signal }: AnalysisDependencies,
  deadlineMs: number,
  body: NarrativeRequest,
): Promise<{ narrative: AnalysisNarrative } | { failure: string }> {
  const timeoutMs = Math.max(0, Math.floor(deadlineMs - performance.now()));
  try {
    const { narrative, failure } = await bus.request(writeAnalysis, body, { timeoutMs, signal });
    if (narrative !== null) return { narrative };
    return { failure: failure?.message ?? "Judge model returned no analysis." };
  } catch (thrown) {
    if (signal.aborted || !isBusError(thrown)) throw thrown;
    return { failure: explain(thrown.kind) };
  }
}

/** A surrogate pair at the cut is left out whole. */
function beginOf(text: string | null): string {
  if (text === null) return "";
  return text.length <= sampledTextMaxChars ? text : text.slice(0, sampledTextMaxChars).replace(/[\ud800-\udbff]$/, "");
}

function beginExpected(evaluationCase: EvaluationCase | null): string | null {
  const expected = evaluationCase?.expectedResults ?? null;
  return expected === null ? null : beginOf(expected);
}

function explain(kind: string): string {
  if (kind === "timeout") return "The analysis was not written in time.";
  if (kind === "too_large") return "The sample is too large to analyse.";
  return "No judge could be asked.";
}

function caseOf(grading: Grading, { questionIndex }: AnalyzedResult): EvaluationCase | null {
  return questionIndex === null ? null : (grading.cases[questionIndex] ?? null);
}
