import { z } from "zod";
import { defineRequest } from "./define.ts";

/** Why a judge gave no rating. `no_reference`: the judge needs an expected result and the case has none. */
export const skipReason = z.enum([
  "no_key",
  "no_judge",
  "no_reference",
  "quota",
  "timeout",
  "provider_error",
  "unparseable",
  "too_large",
]);
export type SkipReason = z.infer<typeof skipReason>;

/** One judge's rubric. `id` is `primary` or the id of a judge scorer; a null `model` means the default judge model. */
export const judgeRubric = z.object({
  id: z.string().min(1),
  name: z.string().nullable(),
  model: z.string().nullable(),
  acceptanceCriteria: z.string().nullable(),
  rejectionCriteria: z.string().nullable(),
  evaluationCriteria: z.string().nullable(),
  requiresExpected: z.boolean(),
});
export type JudgeRubric = z.infer<typeof judgeRubric>;

/** What is judged. Every text is untrusted. Null = the case has none. */
export const judgedCase = z.object({
  input: z.string(),
  output: z.string(),
  expected: z.string().nullable(),
  context: z.string().nullable(),
  guideline: z.string().nullable(),
});
export type JudgedCase = z.infer<typeof judgedCase>;

/** Which similarity metrics to compute (completions 6.5). `vector` carries the embedding model, null = default. */
export const similarityRequest = z.object({
  jaccard: z.boolean(),
  bleu: z.boolean(),
  rouge: z.boolean(),
  vector: z.object({ model: z.string().nullable() }).nullable(),
});
export type SimilarityRequest = z.infer<typeof similarityRequest>;

/** One judge's answer. `rating` is 0 to 10 and null exactly when `status` is `skipped`; then `reason` says why. */
export const verdict = z.object({
  judgeId: z.string(),
  status: z.enum(["scored", "skipped"]),
  rating: z.number().min(0).max(10).nullable(),
  justification: z.string(),
  reason: skipReason.nullable(),
  model: z.string().nullable(),
  durationMs: z.number().nonnegative(),
});
export type Verdict = z.infer<typeof verdict>;

/** Metrics on 0..1; null = a text was blank, had no tokens, or the provider failed. Absent = not asked for. */
export const similarityScores = z.object({
  jaccard: z.number().min(0).max(1).nullable().optional(),
  bleu: z.number().min(0).max(1).nullable().optional(),
  rouge: z.number().min(0).max(1).nullable().optional(),
  vector: z.number().min(0).max(1).nullable().optional(),
});
export type SimilarityScores = z.infer<typeof similarityScores>;

/**
 * Scores one result: every rubric and every metric in parallel, each isolated from the others' failures.
 * `verdicts` has one entry per rubric, in the order asked.
 */
export const scoreResult = defineRequest({
  subject: "svc.judge.score-result.v1",
  askedBy: ["eval-runs"],
  answeredBy: "judge",
  body: z.object({
    projectId: z.uuid(),
    judges: z.array(judgeRubric).max(11),
    case: judgedCase,
    similarity: similarityRequest,
  }),
  reply: z.object({ verdicts: z.array(verdict), similarity: similarityScores }),
});
