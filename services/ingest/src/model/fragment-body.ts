import type { Message } from "../messages/message.ts";

/**
 * The stored content of one log record about a span (otlp 7). The otlp folder writes it; composing reads it once the
 * kind of the span is known. Absent = nothing.
 */
export interface FragmentBody {
  /** Its place among records of its span with the same time. */
  order: FragmentOrder;
  /** Part of a conversation: the parts of several records are concatenated. */
  inputMessages?: Message[];
  outputMessages?: Message[];
  /** A whole input or output: a conversation or any other value. The first record with one wins. */
  input?: unknown;
  output?: unknown;
  /** Entries of `metadata` that the span does not have. */
  metadata?: Record<string, unknown>;
  /** Entries of `metadata.otel.attributes` that the span does not have. */
  attributes?: Record<string, unknown>;
  error?: string;
  /** For `metadata.otel.exception`. */
  exception?: unknown;
  evaluation?: Evaluation;
  /** The cost according to the producer; those of several records are added. */
  costUSD?: number;
  toolCall?: FragmentToolCall;
}

/** Producers' clocks are coarse: observation time and position in the export order records of the same time. */
export interface FragmentOrder {
  /** Decimal nanoseconds; a number would lose precision. */
  observedNano: string;
  /** Position among the records of one span in one export. */
  index: number;
}

/** A grade from another system, listed in `metadata.evaluations`. It is not a judge score of Touchstone. */
export interface Evaluation {
  name: string;
  score?: number;
  label?: string;
  explanation?: string;
  responseId?: string;
  /** ISO 8601. */
  evaluatedAt?: string;
}

/** A tool's result from a record of the calling span, or of the tool's own span. */
export interface FragmentToolCall {
  id?: string;
  name: string;
  input?: unknown;
  output?: unknown;
  success: boolean;
  latencyMs?: number;
  error?: string;
}
