import type { Clock } from "@touchstone/service-kit";
import type { SpanRow } from "../model/span-row.ts";
import type { SpanStatement, SpanUpdate } from "../model/span-update.ts";
import { takeReceived } from "../otlp/take-span.ts";
import { type AttributeValue, emptySpan, type ReceivedSpan } from "../otlp/wire/received-span.ts";
import { prepareSpans } from "../recording/prepare-span.ts";

const errorStatus = 2;

/** Makes rows of spans from their updates: the same row as if the span had been exported whole. */
export function createSpanAssembler({ clock, fieldCharsMax }: { clock: Clock; fieldCharsMax: number | null }) {
  return async (projectId: string, updates: readonly SpanUpdate[]): Promise<SpanRow> => {
    const nowMs = clock.now();
    const { span: received, scope } = mergeUpdates(updates);
    const resource = { attributes: new Map(), storedText: null };
    const { span } = takeReceived(received, { scope: { name: scope, version: "", storedText: null }, resource }, nowMs);
    const { rows } = await prepareSpans([span], { projectId, nowMs, fieldCharsMax, ...notAsked });
    return rows[0] as SpanRow;
  };
}

const notAsked = { agentId: null, monitor: null, patternIds: null };

/**
 * The span that updates describe together, in whatever order they came and however often: those that create it count
 * before the others, then the earlier before the later, then by hash. Of each field and each attribute the last stated
 * value counts; null states nothing. A span without a start starts with its first update.
 */
function mergeUpdates(updates: readonly SpanUpdate[]): { span: ReceivedSpan; scope: string } {
  const ordered = [...updates].sort(
    (one, other) =>
      Number(one.isUpdate) - Number(other.isUpdate) || one.timeMs - other.timeMs || (one.dk < other.dk ? -1 : 1),
  );
  const [{ otelTraceId, spanId }] = ordered as [SpanUpdate];
  const span = { ...emptySpan(ordered.reduce((sum, { body }) => sum + body.length, 0)), traceId: otelTraceId, spanId };
  const starts: number[] = [];
  const ends: number[] = [];
  let scope = "";
  let widens = false;
  for (const { body } of ordered) {
    const stated = JSON.parse(body) as SpanStatement;
    span.parentSpanId = stated.parentSpanId ?? span.parentSpanId;
    span.name = stated.name ?? span.name;
    scope = stated.scope ?? scope;
    widens ||= stated.widens === true;
    if (stated.startedAtMs !== undefined) starts.push(stated.startedAtMs);
    if (stated.endedAtMs !== undefined) ends.push(stated.endedAtMs);
    if (stated.error !== undefined) Object.assign(span, { statusCode: errorStatus, statusMessage: stated.error });
    for (const [key, value] of Object.entries(stated.attributes ?? {})) {
      if (value !== null) span.attributes.set(key, value as AttributeValue);
    }
  }
  const start = widens ? starts.sort((one, other) => one - other)[0] : starts.at(-1);
  const end = widens ? ends.sort((one, other) => other - one)[0] : ends.at(-1);
  span.startNano = toNano(start ?? Math.min(...ordered.map(({ timeMs }) => timeMs)));
  span.endNano = end === undefined ? 0n : toNano(end);
  return { span, scope };
}

function toNano(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}
