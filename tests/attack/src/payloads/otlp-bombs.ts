import { randomBytes } from "node:crypto";
import { field, varint } from "../../../chaos/src/otlp-export.ts";
import { join, type Packed, pack, packNumbered, packRepeated } from "./gzip-pieces.ts";

/** An export of a few kilobytes that inflates to a very large number of items. */
export interface OtlpBomb {
  name: string;
  route: string;
  contentType: string;
  /** The same items in a new span each time, so that no export repeats an earlier one. */
  build(): Buffer;
}

/** The repeated part and its surroundings. */
interface JsonShape {
  route?: string;
  /** `ids` are the ids of the span. */
  open: (ids: string) => string;
  piece: string | ((number: number) => string);
  close: string;
}

const traces = "/otel/v1/traces";
const spans = '{"resourceSpans":[{"scopeSpans":[{"spans":[';
const inSpan =
  (members: string) =>
  (ids: string): string =>
    `${spans}{${ids},"name":"bomb",${members}`;
const inValue = (value: string) => inSpan(`"attributes":[{"key":"input.value","value":${value}`);
const span = (): string =>
  `"traceId":"${randomBytes(16).toString("hex")}","spanId":"${randomBytes(8).toString("hex")}"`;

const jsonShapes: Readonly<Record<string, JsonShape>> = {
  "empty attributes": { open: inSpan('"attributes":['), piece: "{},", close: "{}]}]}]}]}" },
  "attributes with keys of their own": {
    open: inSpan('"attributes":['),
    piece: (number) => `{"key":"k${number}","value":{}},`,
    close: "{}]}]}]}]}",
  },
  "an array of empty values": {
    open: inValue('{"arrayValue":{"values":['),
    piece: "{},",
    close: "{}]}}}]}]}]}]}",
  },
  "a list of pairs with keys of their own": {
    open: inValue('{"kvlistValue":{"values":['),
    piece: (number) => `{"key":"${number}"},`,
    close: "{}]}}}]}]}]}]}",
  },
  "arrays in arrays without end": { open: inValue(""), piece: '{"arrayValue":{"values":[', close: "" },
  "pairs in pairs without end": {
    open: inValue(""),
    piece: '{"kvlistValue":{"values":[{"key":"k","value":',
    close: "",
  },
  "many deep values": {
    open: inSpan('"attributes":['),
    piece: `{"key":"k","value":${'{"arrayValue":{"values":['.repeat(30)}{}${"]}}".repeat(30)}},`,
    close: "{}]}]}]}]}",
  },
  "empty events": { open: inSpan('"events":['), piece: "{},", close: "{}]}]}]}]}" },
  "events with attributes": {
    open: inSpan('"events":['),
    piece: '{"name":"e","attributes":[{"key":"a","value":{"intValue":"1"}}]},',
    close: "{}]}]}]}]}",
  },
  "empty links": { open: inSpan('"links":['), piece: "{},", close: "{}]}]}]}]}" },
  "empty spans": { open: () => spans, piece: "{},", close: "{}]}]}]}" },
  "empty scopes": { open: () => '{"resourceSpans":[{"scopeSpans":[', piece: "{},", close: "{}]}]}" },
  "empty resources": { open: () => '{"resourceSpans":[', piece: "{},", close: "{}]}" },
  "unknown members": { open: () => "{", piece: (number) => `"${number}":0,`, close: '"resourceSpans":[]}' },
  "empty log records": {
    route: "/otel/v1/logs",
    open: () => '{"resourceLogs":[{"scopeLogs":[{"logRecords":[',
    piece: "{},",
    close: "{}]}]}]}",
  },
  "log records with attributes of their own": {
    route: "/otel/v1/logs",
    open: () => '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[',
    piece: (number) => `{"key":"k${number}","value":{"stringValue":""}},`,
    close: "{}]}]}]}]}",
  },
  "empty metrics": {
    route: "/otel/v1/metrics",
    open: () => '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[',
    piece: "{},",
    close: "{}]}]}]}",
  },
};

/** Field numbers from the request down to the repeated part; a span's ids come where its fields begin. */
interface ProtobufShape {
  route?: string;
  path: readonly number[];
  /** The number of levels outside the span; null if there is no span around. */
  spanAt: number | null;
  /** Bytes before the next level, by level. */
  before?: Readonly<Record<number, Buffer>>;
  /** A function returns binary text. */
  piece: Buffer | ((number: number) => string);
}

const empty = (number: number): Buffer => field(number, Buffer.alloc(0));
/** A field with a key-value pair that has a unique key and no value, as binary text. */
const keyField = (tag: number, number: number): string => {
  const key = number.toString(36);
  return String.fromCharCode(tag * 8 + 2, key.length + 2, 10, key.length) + key;
};
const keyOf = (text: string): Buffer => field(1, Buffer.from(text));
/** Span.attributes > KeyValue.value > AnyValue.array_value or kvlist_value. */
const inArray = { path: [1, 2, 2, 9, 2, 5], spanAt: 2, before: { 3: keyOf("input.value") } };
const inPairs = { path: [1, 2, 2, 9, 2, 6], spanAt: 2, before: { 3: keyOf("input.value") } };
const deepValue = Array.from({ length: 30 }).reduce<Buffer>(
  (inner) => field(5, field(1, inner)),
  field(1, Buffer.from("x")),
);

const protobufShapes: Readonly<Record<string, ProtobufShape>> = {
  "empty attributes": { path: [1, 2, 2], spanAt: 2, piece: empty(9) },
  "attributes with keys of their own": {
    path: [1, 2, 2],
    spanAt: 2,
    piece: (number) => keyField(9, number),
  },
  "an array of empty values": { ...inArray, piece: empty(1) },
  "an array of numbers": { ...inArray, piece: field(1, Buffer.from([0x18, 1])) },
  "a list of pairs with keys of their own": { ...inPairs, piece: (number) => keyField(1, number) },
  "many deep values": { path: [1, 2, 2], spanAt: 2, piece: field(9, Buffer.concat([keyOf("k"), field(2, deepValue)])) },
  "empty events": { path: [1, 2, 2], spanAt: 2, piece: empty(11) },
  "events with attributes": {
    path: [1, 2, 2],
    spanAt: 2,
    piece: field(11, Buffer.concat([field(2, Buffer.from("e")), field(3, keyOf("a"))])),
  },
  "empty links": { path: [1, 2, 2], spanAt: 2, piece: empty(13) },
  "empty spans": { path: [1, 2], spanAt: null, piece: empty(2) },
  "empty scopes": { path: [1], spanAt: null, piece: empty(2) },
  "empty resources": { path: [], spanAt: null, piece: empty(1) },
  "empty log records": { route: "/otel/v1/logs", path: [1, 2], spanAt: null, piece: empty(2) },
  "log records with attributes of their own": {
    route: "/otel/v1/logs",
    path: [1, 2, 2],
    spanAt: null,
    piece: (number) => keyField(6, number),
  },
  "empty metrics": { route: "/otel/v1/metrics", path: [1, 2], spanAt: null, piece: empty(2) },
};

/** Functions that make each bomb, of about this many bytes when inflated. */
export function listOtlpBombs(bytes: number): (() => OtlpBomb)[] {
  return [
    ...Object.entries(jsonShapes).map(
      ([name, shape]) =>
        () =>
          jsonBomb(name, shape, bytes),
    ),
    ...Object.entries(protobufShapes).map(
      ([name, shape]) =>
        () =>
          protobufBomb(name, shape, bytes),
    ),
  ];
}

function jsonBomb(name: string, { route = traces, open, piece, close }: JsonShape, bytes: number): OtlpBomb {
  const [filling, end] = [packPieces(bytes, piece), pack(close)];
  return {
    name: `JSON, ${name}`,
    route,
    contentType: "application/json",
    build: () => join(pack(open(span())), filling, end).zipped,
  };
}

function protobufBomb(name: string, shape: ProtobufShape, bytes: number): OtlpBomb {
  const { route = traces, path, spanAt, before = {}, piece } = shape;
  const filling = packPieces(bytes, piece);
  return {
    name: `protobuf, ${name}`,
    route,
    contentType: "application/x-protobuf",
    build() {
      const ids = Buffer.concat([field(1, randomBytes(16)), field(2, randomBytes(8)), field(5, Buffer.from("bomb"))]);
      return path.reduceRight<Packed>((inner, number, level) => {
        const prefix = level === spanAt ? ids : (before[level] ?? Buffer.alloc(0));
        const head = Buffer.concat([varint(number * 8 + 2), varint(prefix.length + inner.bytes), prefix]);
        return join(pack(head), inner);
      }, filling).zipped;
    },
  };
}

function packPieces(bytes: number, piece: string | Buffer | ((number: number) => string)): Packed {
  return typeof piece === "function" ? packNumbered(bytes, piece) : packRepeated(bytes, piece);
}
