import type { SpanKind } from "@touchstone/contracts";
import type { TreeFacts } from "./own-facts.ts";

/**
 * Text of one JSON value exactly as its sender wrote it, including number literals, `\u0000` escapes and lone
 * surrogates. It is stored and returned unparsed, so nothing is lost.
 */
export type JsonText = string;

/**
 * One span as the store accepts it, from any producer. Null = not stated. Times are epoch milliseconds, possibly with a
 * fraction.
 */
export interface IncomingSpan {
  /** Of an imported span: its original id, with the time `timestampMs`. Absent = a new id. */
  id?: string;
  producer: "rest" | "otlp";
  /** 32 lowercase hex characters on OTLP; null on REST. */
  otelTraceId: string | null;
  /** 16 lowercase hex characters on OTLP, the client's identity on REST; null if REST sent none. */
  spanId: string | null;
  parentSpanId: string | null;
  /** The parent is in another process, which may not report to this installation (OTLP flags 0x100 and 0x200). */
  parentIsRemote: boolean;
  name: string;
  /** The agent a root belongs to; null = `name`. */
  agentName: string | null;
  kind: SpanKind;
  /** Becomes `createdAt` when set (REST `timestamp`), else `startedAtMs`, else receipt. */
  timestampMs: number | null;
  startedAtMs: number | null;
  endedAtMs: number | null;
  latencyMs: number | null;
  sessionId: string | null;
  framework: string | null;
  model: string | null;
  error: string | null;
  /** `eval-run` or null. */
  trafficSource: "eval-run" | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  input: JsonText | null;
  output: JsonText | null;
  /** An array of at most 50 `{name, input, output, success, latencyMs, error}`. */
  toolCalls: JsonText | null;
  /** An object. */
  metadata: JsonText | null;
  /** An object. */
  performanceSummary: JsonText | null;
  /** Further values for deriving its trace (OTLP); absent = none. */
  tree?: TreeFacts;
}
