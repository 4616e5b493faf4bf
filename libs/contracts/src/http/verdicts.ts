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
  scorerId: z.string().describe("The id of the judge; for the judge of a run, that of its dataset or grading config"),
  scorerVersion: z.number().int().nullable().describe("Null where the judge has no versions"),
  scorerName: text,
  model: z.string(),
  rubric: recordedRubric,
  instructions: z.string().describe("The system prompt"),
  prompt: z.string().describe("The user prompt; if the question was repeated, the last one"),
  reply: text.describe("The text of the last reply, with provider keys removed; null if there was none"),
  rating: z.number().min(0).max(10).nullable().describe("Null when skipped"),
  justification: z.string(),
  skipCode: skipReason.nullable().describe("Why there is no rating; null when there is one"),
  source: verdictMode.nullable().describe("Where the rating comes from; null when skipped"),
  questions: z
    .number()
    .int()
    .positive()
    .describe("2 if the first reply could not be read and the judge was asked again"),
  tokens: z
    .object({ input: tokens, output: tokens })
    .describe("Of all questions, as counted by the provider; null if it reports none"),
  costUSD: z.number().nonnegative().nullable().describe("At the prices of that time; null without a price or tokens"),
  latencyMs: z.number().nonnegative().describe("From the question to the reply, with waits and retries"),
  truncated: z.boolean().describe("A text was longer than the limit for records, and was cut"),
  createdAt: z.string(),
});
export type VerdictRecord = z.infer<typeof verdictRecord>;

export const verdictParams = z.object({ verdictId: z.string() });
