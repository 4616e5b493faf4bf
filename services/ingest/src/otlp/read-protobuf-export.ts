import { OtlpDecodeError } from "./otlp-decode-error.ts";
import { ProtobufError, ProtobufReader } from "./protobuf-reader.ts";
import { readProtobufSpan } from "./read-protobuf-span.ts";
import { readAttribute } from "./read-protobuf-value.ts";
import type { ReceivedResource, ReceivedScope, SpanReading } from "./received-span.ts";

// Traces, logs and metrics share the numbers of their three envelopes: the export holds resource entries in 1, a
// resource entry its resource in 1 and scope entries in 2, a scope entry its scope in 1 and its items in 2.
const ENTRIES = 10;
const RESOURCE = 10;
const SCOPE_ENTRIES = 18;
const SCOPE = 10;
const ITEMS = 18;
const RESOURCE_ATTRIBUTES = 10;
const SCOPE_NAME = 10;
const SCOPE_VERSION = 18;

/** Fields passed over between two chances to pause: about a tenth of a millisecond. */
const fieldsBetweenPauses = 4096;

/**
 * The spans of a protobuf `ExportTraceServiceRequest`, one at a time. A span whose bytes are wrong is reported in its
 * place and costs only itself; a fault in the envelopes around the spans throws {@link OtlpDecodeError}.
 */
export function* readProtobufExport(body: Buffer): Generator<SpanReading, void, undefined> {
  const reader = new ProtobufReader(body);
  for (const item of walkItems(reader, body.length)) {
    if (item === null) yield null;
    else yield readSpanAt(reader, item);
  }
}

/** How many log records or metrics a protobuf export holds; their own content is not read. Null marks a pause. */
export function* countProtobufItems(body: Buffer): Generator<null, number, undefined> {
  let count = 0;
  for (const item of walkItems(new ProtobufReader(body), body.length)) {
    if (item !== null) count += 1;
    else yield null;
  }
  return count;
}

interface Item {
  start: number;
  end: number;
  scope: ReceivedScope;
  resource: ReceivedResource;
}

function readSpanAt(reader: ProtobufReader, { start, end, scope, resource }: Item): SpanReading {
  reader.position = start;
  try {
    return { span: readProtobufSpan(reader, end), scope, resource };
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    return { unreadable: `span could not be decoded: ${cause.message}`, name: "", scope, foreign: true };
  }
}

function* walkItems(reader: ProtobufReader, end: number): Generator<Item | null, void, undefined> {
  try {
    for (const entry of fieldsWith(reader, 0, end, ENTRIES)) {
      if (entry === null) {
        yield null;
        continue;
      }
      const resource = yield* readResource(reader, entry);
      for (const scopeEntry of fieldsWith(reader, entry.start, entry.end, SCOPE_ENTRIES)) {
        if (scopeEntry === null) {
          yield null;
          continue;
        }
        const scope = yield* readScope(reader, scopeEntry);
        for (const item of fieldsWith(reader, scopeEntry.start, scopeEntry.end, ITEMS)) {
          yield item === null ? null : { ...item, scope, resource };
        }
      }
    }
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    throw new OtlpDecodeError(`The body is not an OTLP protobuf export: ${cause.message}.`, { cause });
  }
}

interface Extent {
  start: number;
  end: number;
}

/**
 * Where the fields of one tag lie inside a message; all others are passed over. The order of fields is free, so a
 * resource may follow its spans: callers look for it in a pass of its own. The cursor may be moved between two steps.
 */
function* fieldsWith(
  reader: ProtobufReader,
  start: number,
  end: number,
  wanted: number,
): Generator<Extent | null, void, undefined> {
  let next = start;
  for (let fields = 1; next < end; fields += 1) {
    reader.position = next;
    const tag = reader.readTag(end);
    if (tag === wanted) {
      const fieldEnd = reader.readLength(end);
      const extent = { start: reader.position, end: fieldEnd };
      next = fieldEnd;
      yield extent;
    } else {
      reader.skip(tag, end);
      next = reader.position;
    }
    if (fields % fieldsBetweenPauses === 0) yield null;
  }
}

/** A message that is sent in several pieces is the sum of them, which is why the attributes accumulate. */
function* readResource(reader: ProtobufReader, entry: Extent): Generator<null, ReceivedResource, undefined> {
  const resource: ReceivedResource = { attributes: new Map(), storedText: null };
  for (const field of fieldsWith(reader, entry.start, entry.end, RESOURCE)) {
    if (field === null) {
      yield null;
      continue;
    }
    for (const attribute of fieldsWith(reader, field.start, field.end, RESOURCE_ATTRIBUTES)) {
      if (attribute === null) {
        yield null;
        continue;
      }
      reader.position = attribute.start;
      readAttribute(reader, attribute.end, resource.attributes, { depthTruncated: false });
    }
  }
  return resource;
}

function* readScope(reader: ProtobufReader, entry: Extent): Generator<null, ReceivedScope, undefined> {
  const scope: ReceivedScope = { name: "", version: "", storedText: null };
  for (const field of fieldsWith(reader, entry.start, entry.end, SCOPE)) {
    if (field === null) {
      yield null;
      continue;
    }
    reader.position = field.start;
    while (reader.position < field.end) {
      const tag = reader.readTag(field.end);
      if (tag === SCOPE_NAME) scope.name = reader.readString(field.end);
      else if (tag === SCOPE_VERSION) scope.version = reader.readString(field.end);
      else reader.skip(tag, field.end);
    }
  }
  return scope;
}
