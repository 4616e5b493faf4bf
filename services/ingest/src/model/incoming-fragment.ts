import { z } from "zod";

/** What a log record gives to its span as if the span had said it; the span itself wins (otlp 7). Absent = nothing. */
export const fragmentFacts = z.object({
  /** Counts over zero, meant as in otlp/mapping/tokens.ts. */
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  model: z.string().optional(),
  /** Why the span failed. */
  error: z.string().optional(),
  sessionId: z.string().optional(),
  userId: z.string().optional(),
  /** The agent the record says its span belongs to. */
  agentName: z.string().optional(),
  /** Its content is input, or output, of the span. */
  hasInput: z.literal(true).optional(),
  hasOutput: z.literal(true).optional(),
});
export type FragmentFacts = z.infer<typeof fragmentFacts>;

/**
 * What one log record says of a span that may have come, or may still come. It is stored once however often it is sent
 * and lives as long as its trace. Null = the record does not say.
 */
export interface IncomingFragment {
  /** 32 lowercase hex characters; null with a response id alone. */
  otelTraceId: string | null;
  /** 16 lowercase hex characters; null: the record is found by its response id. */
  spanId: string | null;
  responseId: string | null;
  /** When it happened, in Unix nanoseconds; 0 = it did not say. Fragments of a span are read by time, then by hash. */
  timeNano: bigint;
  /** Which reader understands `body`. */
  kind: string;
  facts: FragmentFacts;
  /** JSON text of what it says, read again by that reader when its span is shown. */
  body: string;
}
