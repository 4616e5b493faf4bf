import type { Bus } from "@touchstone/bus";
import type { JudgedTrace } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { type Clock, createLimitInHand, uuidv7 } from "@touchstone/service-kit";
import { type GradingPlan, writePlan } from "../grading/plan.ts";
import { judgeResult } from "../judging/judge-result.ts";
import type { SubmittedResult } from "../judging/judgement.ts";
import type { LinkedTraces } from "../judging/linked-traces.ts";
import type { RatingNews } from "../results/rating-news-store.ts";
import { createGroupedStore } from "../results/store-in-groups.ts";
import { composeResult, type ResultRow, type StoredResult } from "../results/stored-result.ts";
import type { Timings } from "../timings.ts";
import { storeFinishedRun } from "./finished-run-store.ts";

/** The grading of a trace: a dataset, or only a grading config. */
export interface TraceGrading {
  datasetId: string;
  /** Null for a config. */
  datasetVersion: number | null;
  evaluationSettingsId: string | null;
  plan: GradingPlan;
}

export interface TraceEvaluatorDependencies {
  database: Database;
  bus: Bus;
  clock: Clock;
  timings: Timings;
  linkedTraces: LinkedTraces;
  ratingNews: RatingNews;
  /** Called for each stored result. */
  onStored: (result: StoredResult) => void;
  /** Aborts when the service stops. */
  signal: AbortSignal;
}

export interface EvaluatedTrace {
  projectId: string;
  /** The organization that the judge calls are counted for; null without organizations. */
  organizationId: string | null;
  trace: JudgedTrace;
  grading: TraceGrading;
}

export interface TraceEvaluator {
  /**
   * Judges a recorded trace and stores it as a completed run with one result (completions 2.8). The run is created after the
   * judging: an earlier failure leaves nothing behind. Each call creates a separate run. Throws `service_unavailable` when too
   * many are in progress.
   */
  evaluate(evaluated: EvaluatedTrace): Promise<{ runId: string; row: ResultRow }>;
}

/** Concurrent traces per process: each stays in memory until its judge has answered. */
const defaultInHandMax = 200;
const batchId = "trace-eval";

export function createTraceEvaluator(
  { database, bus, clock, timings, linkedTraces, ratingNews, onStored, signal }: TraceEvaluatorDependencies,
  inHandMax = defaultInHandMax,
): TraceEvaluator {
  const limit = createLimitInHand(inHandMax, "Too many traces are being evaluated at the moment; retry.");

  async function evaluate({ projectId, organizationId, trace, grading }: EvaluatedTrace) {
    const { plan, ...graded } = grading;
    const now = clock.now();
    const linked = await linkedTraces.describe(projectId, plan, trace);
    const submitted = submitTrace(trace);
    const judgement = await judgeResult(
      { bus, timings },
      {
        projectId,
        organizationId,
        verdictMode: "live",
        plan,
        evaluationCase: null,
        submitted,
        linkTrace: async () => linked,
      },
      { leftMs: timings.resultMs, signal },
    );
    const run = {
      ...graded,
      id: uuidv7(now),
      plan: writePlan(plan),
      evaluationSubject: JSON.stringify({ kind: "trace_evaluation", traceId: trace.traceId }),
      runSource: "trace-eval",
      createdAt: new Date(now),
    };
    const result = composeResult(uuidv7(now), submitted, judgement, { plan, evaluationCase: null, batchId });
    const store = createGroupedStore(async () => {
      await storeFinishedRun(database, projectId, run, result, ratingNews);
      return new Set([result.keyDigest]);
    });
    await store(result);
    onStored(result);
    return { runId: run.id, row: result.row };
  }

  return {
    evaluate: (evaluated) => limit(() => evaluate(evaluated)),
  };
}

/**
 * A trace as the result to grade. Missing parts are empty; a trace that ended in an error without an output is a result with an
 * error, which no judge is asked about (completions 5.3).
 */
function submitTrace(trace: JudgedTrace): SubmittedResult {
  const { traceId, input, output, error } = trace;
  const key = `trace:${traceId}`;
  const hasFailed = error !== null && (output ?? "").trim() === "";
  return {
    idempotencyKey: key,
    caseId: key,
    questionIndex: null,
    runNumber: 1,
    query: input ?? "",
    outputText: output ?? "",
    error: hasFailed ? { type: "Error", message: error } : null,
    traceId,
    retrievalContext: null,
    latencyMs: trace.latencyMs,
    inputTokens: trace.inputTokens,
    outputTokens: trace.outputTokens,
    isVariant: false,
    variantText: null,
    scores: null,
  };
}
