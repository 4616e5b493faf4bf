import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

/** The reference the tests compare our reader with: protobufjs over the vendored message definitions. */
const root = protobuf.parse(
  readFileSync(new URL("proto/otlp.proto", import.meta.url), "utf8"),
  new protobuf.Root(),
).root;
const request = root.lookupType("otlp.ExportTraceServiceRequest");

export function lookUpMessage(name: string): protobuf.Type {
  return root.lookupType(`otlp.${name}`);
}

/** An OTLP export as plain objects with OTLP/JSON's names; ids hex, 64-bit integers text, bytes base64. */
export type PlainExport = { resourceSpans?: PlainEntry[] };
export interface PlainEntry {
  resource?: { attributes?: PlainKeyValue[] };
  scopeSpans?: { scope?: { name?: string; version?: string }; spans?: PlainSpan[] }[];
}
export interface PlainKeyValue {
  key?: string;
  value?: Record<string, unknown>;
}
export interface PlainSpan extends Record<string, unknown> {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  attributes?: PlainKeyValue[];
  links?: { traceId?: string; spanId?: string; attributes?: PlainKeyValue[] }[];
}

/** Decodes protobuf; throws whatever the reference throws. `repairsText`: bytes that are not UTF-8 become U+FFFD. */
export function decodeReference(body: Buffer, { repairsText = false } = {}): PlainExport {
  const reader = protobuf.Reader.create(body);
  if (repairsText) Object.assign(reader, { stringVerify: readRepaired });
  const decoded = request.toObject(request.decode(reader), { longs: String, bytes: String, json: true }) as PlainExport;
  forEachSpan(decoded, (span) => mapIds(span, (id) => Buffer.from(id, "base64").toString("hex")));
  return decoded;
}

function readRepaired(this: protobuf.Reader): string {
  return Buffer.from(this.bytes()).toString("utf8");
}

/** Encodes an OTLP/JSON export as protobuf. */
export function encodeReference(plain: PlainExport): Buffer {
  const copy = structuredClone(plain);
  forEachSpan(copy, (span) => mapIds(span, (id) => Buffer.from(id, "hex").toString("base64")));
  return Buffer.from(request.encode(request.fromObject(copy)).finish());
}

function forEachSpan(plain: PlainExport, visit: (span: PlainSpan) => void): void {
  for (const entry of plain.resourceSpans ?? []) {
    for (const scopeEntry of entry.scopeSpans ?? []) {
      for (const span of scopeEntry.spans ?? []) visit(span);
    }
  }
}

function mapIds(span: PlainSpan, change: (id: string) => string): void {
  for (const holder of [span, ...(span.links ?? [])] as PlainSpan[]) {
    for (const name of ["traceId", "spanId", "parentSpanId"] as const) {
      if (holder[name] !== undefined) holder[name] = change(holder[name]);
    }
  }
}
