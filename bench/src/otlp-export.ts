import { randomBytes } from "node:crypto";

/** A span that the driver sends. Ids are hexadecimal. */
export interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  startMs: number;
  endMs: number;
  attributes: Readonly<Record<string, string>>;
}

/** A span of 5 ms: an agent at the root, a call of a model below it. */
export function benchSpan(span: {
  traceId: string;
  rootId: string;
  spanId: string;
  startMs: number;
  input: string;
  output: string;
}): ExportedSpan {
  const { traceId, rootId, spanId, startMs, input, output } = span;
  const isRoot = spanId === rootId;
  return {
    traceId,
    spanId,
    parentSpanId: isRoot ? null : rootId,
    name: isRoot ? "bench-agent" : "bench-step",
    startMs,
    endMs: startMs + 5,
    attributes: {
      "gen_ai.operation.name": isRoot ? "invoke_agent" : "chat",
      "gen_ai.request.model": "bench-model",
      "input.value": input,
      "output.value": output,
    },
  };
}

/** An export in protobuf, encoded once; under other ids it contains other spans. */
export interface OtlpExport {
  bytes: Buffer;
  /** The same spans under unused ids. */
  renew(): Buffer;
}

const varintField = 0;
const fixed64Field = 1;
const bytesField = 2;

/** `ExportTraceServiceRequest` of one resource and one scope; only what the benches need of it. */
export function encodeOtlpExport(service: string, spans: readonly ExportedSpan[]): Buffer {
  const resource = message([[1, bytesField, encodeAttribute("service.name", service)]]);
  const scope = message([[1, bytesField, Buffer.from("bench")]]);
  const scopeSpans = message([
    [1, bytesField, scope],
    ...spans.map((span): Field => [2, bytesField, encodeSpan(span)]),
  ]);
  const resourceSpans = message([
    [1, bytesField, resource],
    [2, bytesField, scopeSpans],
  ]);
  return message([[1, bytesField, resourceSpans]]);
}

/**
 * An export of `traces` traces of a root and its children, about 1 KB of input and output each, that the driver can
 * resend at no cost: the ids are overwritten in place.
 */
export function createRenewableExport(options: { traces: number; spansPerTrace: number; text: string }): OtlpExport {
  const ids: { hex: string; bytes: number }[] = [];
  let lastId = 0;
  const newId = (bytes: number): string => {
    lastId += 1;
    // Unmistakable, so that the positions of the ids can be found in the encoded bytes.
    const hex = `feedfacecafe${lastId.toString(16).padStart(4, "0")}`.padEnd(bytes * 2, "e");
    ids.push({ hex, bytes });
    return hex;
  };
  const nowMs = Date.now();
  const spans = Array.from({ length: options.traces }, () => {
    const traceId = newId(16);
    const rootId = newId(8);
    return Array.from({ length: options.spansPerTrace }, (_, place) =>
      benchSpan({
        ...{ traceId, rootId, spanId: place === 0 ? rootId : newId(8), startMs: nowMs + place },
        ...{ input: options.text, output: options.text },
      }),
    );
  }).flat();
  const bytes = encodeOtlpExport("bench", spans);
  const places = ids.map(({ hex, bytes: length }) => findAll(bytes, Buffer.from(hex, "hex"), length));
  return {
    bytes,
    renew() {
      const copy = Buffer.from(bytes);
      const random = randomBytes(places.length * 16);
      for (const [index, { at, length }] of places.entries()) {
        const id = random.subarray(index * 16, index * 16 + length);
        for (const start of at) copy.set(id, start);
      }
      return copy;
    },
  };
}

function findAll(bytes: Buffer, id: Buffer, length: number): { at: number[]; length: number } {
  const at: number[] = [];
  for (let found = bytes.indexOf(id); found >= 0; found = bytes.indexOf(id, found + length)) at.push(found);
  return { at, length };
}

function encodeSpan(span: ExportedSpan): Buffer {
  return message([
    [1, bytesField, Buffer.from(span.traceId, "hex")],
    [2, bytesField, Buffer.from(span.spanId, "hex")],
    ...(span.parentSpanId === null ? [] : [[4, bytesField, Buffer.from(span.parentSpanId, "hex")] as Field]),
    [5, bytesField, Buffer.from(span.name)],
    [6, varintField, Buffer.of(1)],
    [7, fixed64Field, nanoseconds(span.startMs)],
    [8, fixed64Field, nanoseconds(span.endMs)],
    ...Object.entries(span.attributes).map(([key, value]): Field => [9, bytesField, encodeAttribute(key, value)]),
  ]);
}

function encodeAttribute(key: string, value: string): Buffer {
  return message([
    [1, bytesField, Buffer.from(key)],
    [2, bytesField, message([[1, bytesField, Buffer.from(value)]])],
  ]);
}

function nanoseconds(ms: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(ms) * 1_000_000n);
  return bytes;
}

type Field = [number: number, type: number, content: Buffer];

function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, type, content]) =>
      type === bytesField
        ? [varint((number << 3) | type), varint(content.length), content]
        : [varint((number << 3) | type), content],
    ),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
