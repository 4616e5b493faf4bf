import { limits } from "@touchstone/contracts/limits";
import { z } from "zod";

/** Facts that a log record adds to its span; the span's own values win (otlp 7). Absent = nothing. */
export const fragmentFacts = z.object({
  /** Counts above zero, defined as in otlp/mapping/tokens.ts. */
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  model: z.string().optional(),
  /** The reason of the span's failure. */
  error: z.string().optional(),
  sessionId: z.string().optional(),
  userId: z.string().optional(),
  /** The agent of the span, according to the record. */
  agentName: z.string().optional(),
  /** Its content is the span's input or output. */
  hasInput: z.literal(true).optional(),
  hasOutput: z.literal(true).optional(),
});
export type FragmentFacts = z.infer<typeof fragmentFacts>;

/**
 * The facts without what derivation does not use: the text of the error, which the body has, and what exceeds the longest
 * name.
 */
export function shortenFacts(facts: FragmentFacts): FragmentFacts {
  const cut = (text: string): string => text.slice(0, limits.traceNameMaxChars);
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      name === "error" ? "" : typeof value === "string" ? cut(value) : value,
    ]),
  );
}

/**
 * The content of one log record about a span that may or may not have arrived. It is stored once, however often it is
 * sent, and lives as long as its trace. Null = the record does not state it.
 */
export interface IncomingFragment {
  /** UUID. A record that is sent again has the same, whatever records it is sent with. */
  key: string;
  /** 32 lowercase hex characters; null if only a response id is known. */
  otelTraceId: string | null;
  /** 16 lowercase hex characters; null: the record is found by its response id. */
  spanId: string | null;
  responseId: string | null;
  /** Event time in Unix nanoseconds; 0 = not stated. Fragments of a span are sorted by time, then by hash. */
  timeNano: bigint;
  /** The reader of `body`. */
  kind: string;
  facts: FragmentFacts;
  /** JSON text of its content, parsed again by that reader when the span is shown. */
  body: string;
}
