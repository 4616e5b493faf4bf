import type { Bus } from "@touchstone/bus";
import type { JudgedTrace } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { type Clock, createLimitInHand, uuidv7 } from "@touchstone/service-kit";
import { type GradingPlan, writePlan } from "../grading/plan.ts";
import { judgeResult } from "../judging/judge-result.ts";
import type { SubmittedResult } from "../judging/judgement.ts";
import type { LinkedTraces } from "../judging/linked-traces.ts";
import type { RatingNews } from "../results/rating-news.ts";
import { createGroupedStore } from "../results/store-in-groups.ts";
import { composeResult, type ResultRow, type StoredResult } from "../results/stored-result.ts";
import type { Timings } from "../timings.ts";
import { storeFinishedRun } from "./store-finished-run.ts";

/** What a trace is graded by: a dataset, or a grading config alone. */
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
  /** Told of each result that was stored. */
  onStored: (result: StoredResult) => void;
  /** Aborts when the service stops. */
  signal: AbortSignal;
}

export interface EvaluatedTrace {
  projectId: string;
  /** Whose judge calls these are; null without organizations. */
  organizationId: string | null;
  trace: JudgedTrace;
  grading: TraceGrading;
}

export interface TraceEvaluator {
  /**
   * Judges a recorded trace and keeps that as a completed run of one result (completions 2.8). The run is made when the
   * trace has been judged: whatever fails before leaves nothing behind. Each call makes a run of its own. Throws
   * `service_unavailable` when too many are in hand.
   */
  evaluate(evaluated: EvaluatedTrace): Promise<{ runId: string; row: ResultRow }>;
}

/** Traces of one process at a time: each is held in memory for as long as its judge takes. */
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
 * A trace as the result it is graded as. What it has not is empty; but one that ended in an error and put nothing out is
 * a result with an error, which no judge is asked about (completions 5.3).
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
  };
}
