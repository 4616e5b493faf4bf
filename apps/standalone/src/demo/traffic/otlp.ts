import type { DemoSpan } from "./spans-of-trace.ts";

/** Spans of one trace, and its start time. */
export interface TraceToSend {
  traceId: string;
  startMs: number;
  scope: string;
  service: string;
  version: string;
  spans: readonly DemoSpan[];
}

/** An OTLP/JSON export of the traces. */
export function encodeExport(traces: readonly TraceToSend[]): string {
  return JSON.stringify({
    resourceSpans: traces.map(({ traceId, startMs, scope, service, version, spans }) => ({
      resource: {
        attributes: attributesOf({
          "service.name": service,
          "service.version": version,
          "deployment.environment.name": "production",
        }),
      },
      scopeSpans: [{ scope: { name: scope }, spans: spans.map((span) => encodeSpan(traceId, startMs, span)) }],
    })),
  });
}

function encodeSpan(traceId: string, traceStartMs: number, span: DemoSpan) {
  const startMs = traceStartMs + span.startMs;
  return {
    traceId,
    spanId: span.id,
    ...(span.parentId !== null && { parentSpanId: span.parentId }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(startMs + span.durationMs),
    attributes: attributesOf(span.attributes),
    status: span.error === null ? {} : { code: 2, message: span.error },
  };
}

const nanos = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`;

function attributesOf(attributes: DemoSpan["attributes"]) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? { stringValue: value }
        : typeof value === "boolean"
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: value }
            : { doubleValue: value },
  }));
}
