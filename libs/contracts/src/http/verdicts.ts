import { z } from "zod";
import { skipReason, verdictMode } from "../bus/judge.v1.ts";

const text = z.string().nullable();
const tokens = z.number().int().nonnegative().nullable();

/** The judge's criteria at that time. Null = it had none. */
export const recordedRubric = z.object({
  acceptanceCriteria: text,
  rejectionCriteria: text,
  evaluationCriteria: text,
  judgePrompt: text,
  toolContext: z.enum(["none", "simple", "detailed"]),
  requiresExpected: z.boolean(),
});

/**
 * The record behind one verdict: the judge's exact prompt and reply. Records are kept for
 * `SERVICE_VERDICT_RECORD_DAYS`; the verdict itself stays with its result or trace.
 */
export const verdictRecord = z.object({
  id: z.uuid(),
  scorerId: z.string().describe("Of the judge; of a run's own judge that of its dataset or grading config"),
  scorerVersion: z.number().int().nullable().describe("Null where the judge has no versions"),
  scorerName: text,
  model: z.string(),
  rubric: recordedRubric,
  instructions: z.string().describe("What the model was told as its operator"),
  prompt: z.string().describe("What it was asked; of a question that was repeated, the last wording"),
  reply: text.describe("The text of the last reply, provider keys cut out; null when none came"),
  rating: z.number().min(0).max(10).nullable().describe("Null when skipped"),
  justification: z.string(),
  skipCode: skipReason.nullable().describe("Why there is no rating; null when there is one"),
  source: verdictMode.nullable().describe("How the rating was come by; null when skipped"),
  questions: z.number().int().positive().describe("2 when the first reply was of no use and the judge was asked again"),
  tokens: z
    .object({ input: tokens, output: tokens })
    .describe("Of all questions, as the provider counts; null where it does not say"),
  costUSD: z.number().nonnegative().nullable().describe("By the prices of that time; null without a price or tokens"),
  latencyMs: z.number().nonnegative().describe("From the question to the reply, waits and retries included"),
  truncated: z.boolean().describe("A text was longer than what is kept of it, and is cut"),
  createdAt: z.string(),
});
export type VerdictRecord = z.infer<typeof verdictRecord>;

export const verdictParams = z.object({ verdictId: z.string() });
