import { createHash } from "node:crypto";
import type { resultRow, submitResultsReply } from "@touchstone/contracts";
import type { z } from "zod";
import type { EvaluationCase, Grading } from "../datasets/grading.ts";
import { metricNames, metricsFor } from "./judge-request.ts";
import { type Judgement, type StoredSkipReason, skipped } from "./judgement.ts";
import type { SubmittedResult } from "./submitted-result.ts";

export type ResultRow = z.infer<typeof resultRow>;
export type ScoredResult = z.infer<typeof submitResultsReply>["scoredResults"][number];

/** A result as it is stored: the row as clients read it, and beside it what is counted, ordered and looked up. */
export interface StoredResult {
  id: string;
  /** SHA-256 of the idempotency key, in hex. */
  keyDigest: string;
  idempotencyKey: string;
  caseId: string;
  questionIndex: number;
  runNumber: number;
  isVariant: boolean;
  status: Judgement["status"];
  skipReason: StoredSkipReason | null;
  rating: number | null;
  row: ResultRow;
}

/** What finalizing stores for a result that nobody finished. */
export const neverJudged = skipped("run_finalized", "The run was finalized before this result was judged.");

/** The look-up form of an idempotency key: of any length, and with any character in it. */
export function digestKey(idempotencyKey: string): string {
  // JSON writes a lone surrogate as an escape, where UTF-8 would make two different keys equal.
  return createHash("sha256").update(JSON.stringify(idempotencyKey)).digest("hex");
}

/** Puts a judgement together with what was submitted (interface: Result row). */
export function composeResult(
  id: string,
  submitted: SubmittedResult,
  judgement: Judgement,
  graded: { grading: Grading; evaluationCase: EvaluationCase | null; batchId: string },
): StoredResult {
  const { grading, evaluationCase } = graded;
  const { query, outputText } = submitted;
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
    row: {
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
      ...composeMetrics(judgement, grading, evaluationCase),
      codeScorerResults: judgement.status === "failed" ? null : composeCodeScorerResults(grading),
      judgeScorerResults: null,
      isSmokeTestVariant: submitted.isVariant,
      smokeTestVariantText: submitted.variantText,
      status: judgement.status,
      error: submitted.error,
      batchId: graded.batchId,
    },
  };
}

/** A stored row as the answer to a batch shows it (interface: POST results, `scoredResults`). */
export function composeScoredResult(idempotencyKey: string, row: ResultRow): ScoredResult {
  const metrics = metricNames.flatMap(([name]) => (row[name] === undefined ? [] : [[name, row[name]] as const]));
  return {
    idempotencyKey,
    rating: row.rating,
    justification: row.justification,
    status: row.status,
    ...Object.fromEntries(metrics),
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
  grading: Grading,
  evaluationCase: EvaluationCase | null,
): Partial<Pick<ResultRow, (typeof metricNames)[number][0]>> {
  const wanted = metricsFor(grading, evaluationCase);
  return Object.fromEntries(
    metricNames
      .filter(([, metric]) => wanted[metric])
      .map(([name, metric]) => [name, judgement.similarity[metric] ?? null]),
  );
}

function composeCodeScorerResults(grading: Grading): ResultRow["codeScorerResults"] {
  if (grading.codeScorerNames.length === 0) return null;
  return grading.codeScorerNames.map((name) => ({
    name,
    score: null,
    error: "Code scorers are not run by this version.",
  }));
}
