import { createHash } from "node:crypto";
import type { resultRow, submitResultsReply } from "@touchstone/contracts";
import type { z } from "zod";
import type { EvaluationCase } from "../grading/cases.ts";
import { type GradingPlan, rowGradersOf, scorerMembersOf } from "../grading/plan.ts";
import { deterministicNamesFor, metricNames, metricsFor } from "../judging/judge-request.ts";
import {
  isLeftToClient,
  type Judgement,
  type StoredSkipReason,
  type SubmittedResult,
  skipped,
} from "../judging/judgement.ts";
import { ratingsOf, type TraceRating } from "../judging/trace-ratings.ts";

export type ResultRow = z.infer<typeof resultRow>;
export type ScoredResult = z.infer<typeof submitResultsReply>["scoredResults"][number];

/** A stored result: the row as clients read it, and the values for counting, sorting and look-up. */
export interface StoredResult {
  id: string;
  /** SHA-256 of the idempotency key, in hex. */
  keyDigest: string;
  idempotencyKey: string;
  caseId: string;
  /** Null = it answers no question of a dataset. */
  questionIndex: number | null;
  runNumber: number;
  isVariant: boolean;
  status: Judgement["status"];
  skipReason: StoredSkipReason | null;
  rating: number | null;
  row: ResultRow;
  /** The context that the client sent; no row shows it, but rescoring needs it. */
  submittedContext: SubmittedResult["retrievalContext"];
  /** Its ratings of the linked trace. */
  ratings: readonly TraceRating[];
}

/** Stored by finalize for an unfinished result. */
export const neverJudged = skipped("run_finalized", "The run was finalized before this result was judged.");

/** The look-up form of an idempotency key, which may have any length and characters. */
export function digestKey(idempotencyKey: string): string {
  // JSON escapes a lone surrogate; UTF-8 would make two different keys equal.
  return createHash("sha256").update(JSON.stringify(idempotencyKey)).digest("hex");
}

/** Combines a judgement with the submitted result (interface: Result row). */
export function composeResult(
  id: string,
  submitted: SubmittedResult,
  judgement: Judgement,
  graded: { plan: GradingPlan; evaluationCase: EvaluationCase | null; batchId: string },
): StoredResult {
  const { plan, evaluationCase } = graded;
  const { query, outputText } = submitted;
  const row: ResultRow = {
    questionIndex: submitted.questionIndex,
    questionText: evaluationCase?.query ?? null,
    runNumber: submitted.runNumber,
    input: query === null ? null : { query },
    output: outputText === null ? null : { text: outputText },
    rating: judgement.rating,
    justification: judgement.justification,
    traceId: submitted.traceId,
    latencyMs: submitted.latencyMs,
    inputTokens: submitted.inputTokens,
    outputTokens: submitted.outputTokens,
    ...composeMetrics(judgement, plan, evaluationCase),
    codeScorerResults: joinScores(submitted, composeCodeScorerResults(judgement, plan, evaluationCase)),
    judgeScorerResults: composeJudgeScorerResults(judgement, plan),
    isSmokeTestVariant: submitted.isVariant,
    smokeTestVariantText: submitted.variantText,
    status: judgement.status,
    error: submitted.error,
    batchId: graded.batchId,
    verdictSource: judgement.verdictSource,
    verdictId: judgement.verdictId,
  };
  return {
    id,
    keyDigest: digestKey(submitted.idempotencyKey),
    idempotencyKey: submitted.idempotencyKey,
    caseId: submitted.caseId,
    questionIndex: submitted.questionIndex,
    runNumber: submitted.runNumber,
    isVariant: submitted.isVariant,
    status: judgement.status,
    skipReason: judgement.skipReason,
    rating: judgement.rating,
    row,
    submittedContext: submitted.retrievalContext,
    ratings: ratingsOf(id, row, plan),
  };
}

/** A stored row as a batch's response shows it (completions 5.3): with all four metrics, null for disabled ones. */
export function composeScoredResult(idempotencyKey: string, row: ResultRow): ScoredResult {
  return {
    idempotencyKey,
    rating: row.rating,
    justification: row.justification,
    status: row.status,
    vectorSimilarity: row.vectorSimilarity ?? null,
    jaccardSimilarity: row.jaccardSimilarity ?? null,
    bleuScore: row.bleuScore ?? null,
    rougeScore: row.rougeScore ?? null,
    codeScorerResults: row.codeScorerResults,
    judgeScorerResults:
      row.judgeScorerResults?.map(({ scorerId, name, rating, justification }) => ({
        scorerId,
        name,
        rating,
        justification,
      })) ?? null,
  };
}

/** A key for each metric that applies; null where it could not be computed. */
function composeMetrics(
  judgement: Judgement,
  plan: GradingPlan,
  evaluationCase: EvaluationCase | null,
): Partial<Pick<ResultRow, (typeof metricNames)[number][0]>> {
  const wanted = metricsFor(plan, evaluationCase);
  return Object.fromEntries(
    metricNames
      .filter(([, metric]) => wanted[metric])
      .map(([name, metric]) => [name, judgement.similarity[metric] ?? null]),
  );
}

/**
 * A row for each judge besides the primary, and for each of a group; a judge without a verdict has the result's status.
 */
function composeJudgeScorerResults(judgement: Judgement, plan: GradingPlan): ResultRow["judgeScorerResults"] {
  const graders = rowGradersOf(plan);
  if (judgement.status === "failed" || graders.length === 0) return null;
  return graders.map((grader) => {
    const verdict = judgement.verdicts.get(grader.id);
    return {
      scorerId: grader.id,
      name: grader.name,
      rating: verdict?.rating ?? null,
      justification: verdict?.justification ?? notHeard(judgement),
      status: verdict?.status ?? "skipped",
      verdictId: verdict?.verdictId ?? null,
    };
  });
}

/**
 * A row for each requested scorer, in request order, then one for each pattern and custom scorer of a group, whose score is its
 * rating of the result (completions 4.4); a scorer without an answer has an error.
 */
function composeCodeScorerResults(
  judgement: Judgement,
  plan: GradingPlan,
  evaluationCase: EvaluationCase | null,
): ResultRow["codeScorerResults"] {
  const names = deterministicNamesFor(plan, evaluationCase);
  const members = scorerMembersOf(plan);
  if (judgement.status === "failed" || isLeftToClient(judgement)) return null;
  if (names.length + members.length === 0) return null;
  const computed = names.map((name, index) => {
    const heard = judgement.deterministic[index];
    return heard === undefined ? { name, score: null, error: notHeard(judgement) } : { ...heard, name };
  });
  const found = members.map(({ name }, index) => {
    const { goodness = null, because = notHeard(judgement) } = judgement.members[index] ?? {};
    return { name, score: goodness, ...(goodness === null && because !== null && { error: because }) };
  });
  return [...computed, ...found];
}

/** The client's scores come first. */
function joinScores(
  { scores }: SubmittedResult,
  computed: ResultRow["codeScorerResults"],
): ResultRow["codeScorerResults"] {
  return scores === null || scores.length === 0 ? computed : [...scores, ...(computed ?? [])];
}

/** The reason for a missing answer: that of the whole result, or that the judge omitted it. */
function notHeard({ status, justification, verdicts }: Judgement): string {
  return status === "skipped" && verdicts.size === 0 ? justification : "The judge did not answer this.";
}
