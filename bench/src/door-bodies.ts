import type { SubmittedSpanUpdate } from "@touchstone/contracts";
import type { Random } from "./dataset/random.ts";
import { benchSpan, type ExportedSpan, encodeOtlpExport } from "./otlp-export.ts";

/** The root comes first. */
export type ExportedTrace = readonly [ExportedSpan, ...ExportedSpan[]];

/** One way in which the same traces come. */
export interface Door {
  what: string;
  path: string;
  contentType: string;
  /** How the key comes. */
  authorize(apiKey: string): string;
  /** The answer once everything is stored. */
  status: number;
  /** Two requests, one after the other, that send a batch of traces. */
  encode(traces: readonly ExportedTrace[]): [Buffer | string, Buffer | string];
}

const byKey = (apiKey: string): string => `x-api-key: ${apiKey}\r\n`;
const byBasic = (apiKey: string): string =>
  `authorization: Basic ${Buffer.from(`any:${apiKey}`).toString("base64")}\r\n`;

const otlp = {
  contentType: "application/x-protobuf",
  status: 200,
  encode: inHalves((traces) => encodeOtlpExport("bench", traces.flat())),
};
const events = { path: "/api/public/ingestion", contentType: "application/json", authorize: byBasic, status: 207 };
const updates = { path: "/api/v1/ingest/span-updates", contentType: "application/json", authorize: byKey, status: 201 };

export const doors = {
  otlp: { what: "OTLP, /api/v1/otel/v1/traces", path: "/api/v1/otel/v1/traces", authorize: byKey, ...otlp },
  alias: { what: "OTLP, /api/public/otel/v1/traces", path: "/api/public/otel/v1/traces", authorize: byBasic, ...otlp },
  whole: {
    ...updates,
    what: "span updates, a span in one",
    encode: inHalves((traces) => updatesBody(traces.flat().map((span) => ({ ...opening(span), ...closing(span) })))),
  },
  pieces: {
    ...updates,
    what: "span updates, a span in two",
    encode: (traces) => [
      updatesBody(traces.flat().map(opening)),
      updatesBody(traces.flat().map((span) => ({ ...idsOf(span), type: "update", ...closing(span) }))),
    ],
  },
  together: {
    ...events,
    what: "Langfuse events, a span in two of one batch",
    encode: inHalves((traces) => batchBody([...traces.flatMap(createEvents), ...traces.flatMap(updateEvents)])),
  },
  langfuse: {
    ...events,
    what: "Langfuse events, a span in two of two batches",
    encode: (traces) => [batchBody(traces.flatMap(createEvents)), batchBody(traces.flatMap(updateEvents))],
  },
} satisfies Record<string, Door>;

/** Spans as in the bench `otlp`, with texts that `writeText` makes. */
export function writeTrace(random: Random, writeText: () => string, spans: number): ExportedTrace {
  const [traceId, rootId, startMs] = [random.hex(16), random.hex(8), Date.now()];
  const write = (place: number): ExportedSpan =>
    benchSpan({
      ...{ traceId, rootId, spanId: place === 0 ? rootId : random.hex(8), startMs: startMs + place },
      ...{ input: writeText(), output: writeText() },
    });
  return [write(0), ...Array.from({ length: spans - 1 }, (_, index) => write(index + 1))];
}

function inHalves(encode: (traces: readonly ExportedTrace[]) => Buffer | string): Door["encode"] {
  return (traces) => [encode(traces.slice(0, traces.length / 2)), encode(traces.slice(traces.length / 2))];
}

const updatesBody = (spanUpdates: readonly SubmittedSpanUpdate[]): string => JSON.stringify({ updates: spanUpdates });

const idsOf = ({ traceId, spanId }: ExportedSpan) => ({ traceId, spanId });

/** What a client knows when a span begins. */
function opening(span: ExportedSpan): SubmittedSpanUpdate {
  const { "output.value": _later, ...attributes } = span.attributes;
  const startTime = isoTime(span.startMs);
  const { parentSpanId, name } = span;
  return { ...idsOf(span), type: "create", time: startTime, parentSpanId, name, startTime, scope: "bench", attributes };
}

/** What it knows when the span ends. */
function closing({ endMs, attributes }: ExportedSpan) {
  const endTime = isoTime(endMs);
  return { time: endTime, endTime, attributes: { "output.value": attributes["output.value"] } };
}

type Event = { id: string; type: string; timestamp: string; body: Record<string, unknown> };

const batchBody = (batch: readonly Event[]): string => JSON.stringify({ batch });

/** The root span carries the members of its trace. */
function createEvents([root, ...steps]: ExportedTrace): Event[] {
  const { traceId, name, startMs, attributes } = root;
  const input = attributes["input.value"];
  return [
    event(root, "trace-create", startMs, { id: traceId, timestamp: isoTime(startMs), name, input }),
    ...steps.map((step) =>
      event(step, "generation-create", step.startMs, {
        id: step.spanId,
        traceId,
        name: step.name,
        startTime: isoTime(step.startMs),
        model: step.attributes["gen_ai.request.model"],
        input: step.attributes["input.value"],
      }),
    ),
  ];
}

function updateEvents([root, ...steps]: ExportedTrace): Event[] {
  const { traceId, endMs, attributes } = root;
  return [
    event(root, "trace-create", endMs, { id: traceId, output: attributes["output.value"] }),
    ...steps.map((step) =>
      event(step, "generation-update", step.endMs, {
        id: step.spanId,
        traceId,
        endTime: isoTime(step.endMs),
        output: step.attributes["output.value"],
      }),
    ),
  ];
}

const event = (span: ExportedSpan, type: string, ms: number, body: Event["body"]): Event => ({
  ...{ id: `${span.spanId} ${ms}`, type, timestamp: isoTime(ms), body },
});

const isoTime = (ms: number): string => new Date(ms).toISOString();
