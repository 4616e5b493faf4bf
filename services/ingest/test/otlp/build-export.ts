import type { IncomingSpan } from "../../src/model/span.ts";
import { type DecodedExport, decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { nowMs, readableRow } from "./corpus.ts";

export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue };

/** The members that a test sets; the rest is a valid child span of an unknown scope. */
export interface SpanSketch {
  name?: string;
  scope?: string;
  root?: boolean;
  attributes?: Record<string, PlainValue>;
  resource?: Record<string, PlainValue>;
  events?: { name: string; attributes?: Record<string, PlainValue> }[];
  /** Any other member of the OTLP/JSON span, as it is. */
  more?: Record<string, unknown>;
}

const startNano = 1_795_219_200_000_000_000n;

/** OTLP/JSON of one span per sketch, each in a separate scope. */
export function buildExport(...sketches: SpanSketch[]): Buffer {
  return Buffer.from(JSON.stringify({ resourceSpans: sketches.map(buildEntry) }));
}

function buildEntry({ name, scope, root, attributes, resource, events, more }: SpanSketch, index: number): unknown {
  const span = {
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: (0xeee19b7ec3c10000n + BigInt(index)).toString(16),
    ...(root ? {} : { parentSpanId: "aaaaaaaaaaaaaaaa" }),
    name: name ?? "span",
    startTimeUnixNano: String(startNano),
    endTimeUnixNano: String(startNano + 1_500_000n),
    attributes: keyValues(attributes),
    events: (events ?? []).map((event, at) => ({
      name: event.name,
      timeUnixNano: String(startNano + BigInt(at)),
      attributes: keyValues(event.attributes),
    })),
    ...more,
  };
  return {
    resource: { attributes: keyValues(resource) },
    scopeSpans: [{ scope: { name: scope ?? "test" }, spans: [span] }],
  };
}

export function keyValues(attributes: Record<string, PlainValue> | undefined): unknown[] {
  return Object.entries(attributes ?? {}).map(([key, value]) => ({ key, value: anyValue(value) }));
}

export function anyValue(value: PlainValue): Record<string, unknown> {
  if (value === null) return {};
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value) } };
}

export function decodeJson(body: Buffer): Promise<DecodedExport> {
  return decodeTraceExport({ body, contentType: "json", nowMs });
}

/** A row as people read it, with the two halves of its metadata at hand. */
export interface Row extends Record<string, unknown> {
  metadata: Record<string, unknown>;
  metadataText: string;
  otel: Record<string, unknown>;
}

/** The row of one sketched span, which must be accepted. */
export async function rowOf(sketch: SpanSketch): Promise<Row> {
  const { spans, message } = await decodeJson(buildExport(sketch));
  const [span] = spans;
  if (span === undefined) throw new Error(`the span was not accepted: ${message}`);
  return readable(span);
}

function readable(span: IncomingSpan): Row {
  const row = readableRow(span) as Row;
  const { otel, ...metadata } = row.metadata;
  return { ...row, metadata, metadataText: span.metadata as string, otel: otel as Record<string, unknown> };
}
