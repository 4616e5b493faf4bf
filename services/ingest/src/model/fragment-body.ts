import type { Message } from "../messages/message.ts";

/**
 * What one log record says of its span, as it is stored (otlp 7). The otlp folder writes it, composing reads it, when
 * the kind of the span is known. Absent = nothing.
 */
export interface FragmentBody {
  /** Its place among the records of its span that bear the same time. */
  order: FragmentOrder;
  /** Part of a conversation: those of several records follow one another. */
  inputMessages?: Message[];
  outputMessages?: Message[];
  /** A whole input or output: a conversation, or any other value. The first record that has one decides. */
  input?: unknown;
  output?: unknown;
  /** Entries of `metadata` where the span has none. */
  metadata?: Record<string, unknown>;
  /** Entries of `metadata.otel.attributes` where the span has none. */
  attributes?: Record<string, unknown>;
  error?: string;
  /** For `metadata.otel.exception`. */
  exception?: unknown;
  evaluation?: Evaluation;
  /** What the producer says this cost; several add up. */
  costUSD?: number;
  toolCall?: FragmentToolCall;
}

/** Producers' clocks are coarse: the time of observation and the place in its export order what happened at once. */
export interface FragmentOrder {
  /** Decimal nanoseconds; a number would lose some. */
  observedNano: string;
  /** Counts the records of one span in one export. */
  index: number;
}

/** A grade that somebody else gave; `metadata.evaluations` lists them. It is no judge score of ours. */
export interface Evaluation {
  name: string;
  score?: number;
  label?: string;
  explanation?: string;
  responseId?: string;
  /** ISO 8601. */
  evaluatedAt?: string;
}

/** A tool's result told by a record of the span that called it, or of the tool's own. */
export interface FragmentToolCall {
  id?: string;
  name: string;
  input?: unknown;
  output?: unknown;
  success: boolean;
  latencyMs?: number;
  error?: string;
}
