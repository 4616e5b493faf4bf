import { z } from "zod";
import { limits } from "../limits.ts";

/**
 * Body of `POST /api/public/ingestion`. Each event is judged by itself, so that a client can send the others: see
 * {@link langfuseEvent}.
 */
export const langfuseBatch = z.object({
  batch: z.array(z.unknown()).max(limits.langfuseEventsMax),
  metadata: z.unknown().optional(),
});
export const langfuseBatchSentences = {
  batch: `batch must be a list of at most ${limits.langfuseEventsMax} events`,
  metadata: "metadata may be anything",
} as const;

/** One event. Members of `body` that Langfuse's clients send and are not named here are ignored. */
export const langfuseEvent = z.object({
  id: z.string().min(1).max(limits.indexedTextMaxChars),
  type: z.string(),
  timestamp: z.string(),
  body: z.record(z.string(), z.unknown()),
});
export type LangfuseEvent = z.infer<typeof langfuseEvent>;

/** 207: every event is in one of the lists. */
export const langfuseBatchReply = z.object({
  successes: z.array(z.object({ id: z.string(), status: z.int() })),
  errors: z.array(z.object({ id: z.string(), status: z.int(), message: z.string(), error: z.string() })),
});
export type LangfuseBatchReply = z.infer<typeof langfuseBatchReply>;

/** One score: the `body` of the event `score-create`. */
export const langfuseScore = z.looseObject({
  name: z.string().min(1),
  value: z.union([z.number(), z.string(), z.boolean()]),
  traceId: z.string().nullish(),
});
export const langfuseScoreSentences = {
  name: "name must be text",
  value: "value must be a number, a text or a boolean",
  traceId: "traceId must be text",
} as const;

/** Body of `POST /api/public/scores`. Each score of a list is judged by itself, so that a client can send the others. */
export const langfuseScores = z.union([langfuseScore, z.array(z.unknown()).min(1).max(limits.langfuseEventsMax)]);

export const langfuseScoreReply = z.object({ id: z.string() });
/** 202: all scores of a list are stored. */
export const langfuseScoresAccepted = z.object({ message: z.literal("Accepted") });
/** 207: some scores of a list cannot be stored. */
export const langfuseScoresReply = z.object({
  accepted: z.int(),
  rejected: z.int(),
  errors: z.array(z.object({ message: z.string().describe("Begins with the place of the score: scores[3]") })),
});
