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

/** The `dk` of updates that only widen their span: they are kept as one, so that a span takes any number of them. */
export const reachDk = hashUuid("reach");

/** Whether an update states nothing but how far its span reaches. */
export function isReach({
  widens,
  startedAtMs: _start,
  endedAtMs: _end,
  scope: _scope,
  ...others
}: SpanStatement): boolean {
  return widens === true && Object.keys(others).length === 0;
}

/** The update that widens a span as far as these do together, in whatever order and however often they came. */
export function joinReaches(reaches: readonly SpanUpdate[]): SpanUpdate {
  const [first] = reaches as [SpanUpdate];
  const stated = reaches.map(({ body }) => JSON.parse(body) as SpanStatement);
  const starts = stated.flatMap(({ startedAtMs = [] }) => startedAtMs);
  const ends = stated.flatMap(({ endedAtMs = [] }) => endedAtMs);
  // Those of one span have one scope. If they do not, any rule will do that knows no order.
  const scope = stated
    .flatMap(({ scope: own = [] }) => own)
    .toSorted()
    .at(-1);
  const joined: SpanStatement = {
    ...(starts.length > 0 && { startedAtMs: Math.min(...starts) }),
    ...(ends.length > 0 && { endedAtMs: Math.max(...ends) }),
    ...(scope !== undefined && { scope }),
    widens: true,
  };
  return { ...first, timeMs: Math.min(...reaches.map(({ timeMs }) => timeMs)), body: JSON.stringify(joined) };
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
