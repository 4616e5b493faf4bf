import type { SpanKind } from "@touchstone/contracts";
import type { TreeFacts } from "./own-facts.ts";

/**
 * Text of one JSON value exactly as its sender wrote it: number literals, `\u0000` escapes and lone surrogates
 * included. It is stored and spliced into answers unparsed, which is what keeps it lossless.
 */
export type JsonText = string;

/**
 * One span as the store takes it, whatever producer it came from. Null = the sender did not say. Times are epoch
 * milliseconds, which may carry a fraction.
 */
export interface IncomingSpan {
  /** Of an imported span: the id it had, of its `timestampMs`. Absent = a new one. */
  id?: string;
  producer: "rest" | "otlp";
  /** 32 lowercase hex characters on OTLP; null on REST. */
  otelTraceId: string | null;
  /** 16 lowercase hex characters on OTLP, the client's own identity on REST; null when REST sent none. */
  spanId: string | null;
  parentSpanId: string | null;
  /** The parent is known to live in another process, which may not report to us (OTLP flags 0x100 and 0x200). */
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
  /** What its trace is derived from besides (OTLP); absent = nothing more than the members above. */
  tree?: TreeFacts;
}
