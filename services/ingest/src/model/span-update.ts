import { hashUuid, toUuid } from "./ids.ts";
import type { JsonText } from "./span.ts";

/** What one update states of its span; absent = nothing. Stored as JSON. */
export interface SpanStatement {
  /** 16 lowercase hex characters. */
  parentSpanId?: string;
  name?: string;
  /** Unix milliseconds, with microseconds as their fraction. */
  startedAtMs?: number;
  endedAtMs?: number;
  /** The reason of its failure. */
  error?: string;
  /** The instrumentation scope, which names the framework. */
  scope?: string;
  /** OpenTelemetry attributes as plain JSON. */
  attributes?: Record<string, unknown>;
  /** The span reaches from the earliest stated start to the latest stated end. */
  widens?: true;
}

/** One of the requests that describe a span together (decision 54). */
export interface SpanUpdate {
  /** 32 lowercase hex characters. */
  otelTraceId: string;
  /** 16 lowercase hex characters. */
  spanId: string;
  dk: string;
  /** It follows all updates that created the span, whatever its time. */
  isUpdate: boolean;
  /** When it was made, by the sender's clock. */
  timeMs: number;
  /** A {@link SpanStatement}. */
  body: JsonText;
  /** Its attributes, and these with all members and items of their values. */
  attributes: number;
  values: number;
}

/** An update with its project. */
export interface ProjectUpdate {
  projectId: string;
  update: SpanUpdate;
}

/** Why an update was not stored: its span was exported whole, or has as many updates as it can. */
export type UpdateRefusal = "stored-whole" | "too-many";

/** The identity of the span that an update describes, as that of a span received over OTLP. */
export function identityOf({ otelTraceId, spanId }: Pick<SpanUpdate, "otelTraceId" | "spanId">): string {
  return hashUuid("otlp", otelTraceId, spanId);
}

/** When a span with this update alone starts; the row of a new span may be created in its week. */
export function startOf({ body, timeMs }: SpanUpdate): number {
  const { startedAtMs } = JSON.parse(body) as SpanStatement;
  return startedAtMs ?? timeMs;
}

export function traceKeyOf({ otelTraceId }: Pick<SpanUpdate, "otelTraceId">): string {
  return toUuid(otelTraceId);
}
