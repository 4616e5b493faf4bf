import { limits } from "@touchstone/contracts/limits";
import { countExport, type ExportCount } from "./count-export.ts";
import { type ExportItem, envelopeFault, resourceRefusal } from "./export-item.ts";
import { OtlpDecodeError } from "./otlp-decode-error.ts";
import { ProtobufError, ProtobufReader } from "./protobuf-reader.ts";
import { readAttribute } from "./read-protobuf-value.ts";
import type { ReceivedResource, ReceivedScope } from "./received-span.ts";
import { RefusedItemError } from "./refused-item.ts";
import { takeTurn } from "./take-turn.ts";

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

/** Fields skipped between two pauses: about a tenth of a millisecond. */
const fieldsBetweenPauses = 4096;

/**
 * The items of an export, for any signal, with the data of their envelopes; null marks a pause. The cursor of `reader`
 * may be moved between two steps. A fault in the envelopes throws {@link OtlpDecodeError}.
 */
export function* walkProtobufItems(reader: ProtobufReader, end: number): Generator<ExportItem | null, void, undefined> {
  const count = countExport();
  try {
    for (const entry of fieldsWith(reader, 0, end, ENTRIES)) {
      if (entry === null) {
        yield null;
        continue;
      }
      count.envelope();
      const { resource, fault } = yield* readResource(reader, entry, count);
      for (const scopeEntry of fieldsWith(reader, entry.start, entry.end, SCOPE_ENTRIES)) {
        if (scopeEntry === null) {
          yield null;
          continue;
        }
        count.envelope();
        const { scope, fault: scopeFault } = yield* readScope(reader, scopeEntry, count);
        for (const item of fieldsWith(reader, scopeEntry.start, scopeEntry.end, ITEMS)) {
          if (item === null) {
            yield null;
            continue;
          }
          count.item();
          const { start, end } = item;
          yield { start, end, values: 0, scope, resource, fault: fault ?? scopeFault };
        }
      }
    }
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    throw new OtlpDecodeError(`The body is not an OTLP protobuf export: ${cause.message}.`, { cause });
  }
}

/** Reads the envelopes of a protobuf export, not its items; throws like {@link walkProtobufItems}. */
export async function checkProtobufEnvelopes(body: Buffer): Promise<void> {
  const turn = takeTurn();
  for (const item of walkProtobufItems(new ProtobufReader(body), body.length)) {
    if (item === null && turn.isOver()) await turn.next();
  }
}

interface Extent {
  start: number;
  end: number;
}

/**
 * The positions of the fields with one tag inside a message; others are skipped. The order of fields is free, so a
 * resource may follow its spans: callers search for it in a separate pass. The cursor may be moved between two steps.
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

/** A message may be sent in several pieces that are merged, so the attributes accumulate. */
function* readResource(
  reader: ProtobufReader,
  entry: Extent,
  count: ExportCount,
): Generator<null, { resource: ReceivedResource; fault: string | null }, undefined> {
  const resource: ReceivedResource = { attributes: new Map(), storedText: null };
  const note = { depthTruncated: false, valuesLeft: limits.otlpResourceValuesMax };
  let bytes = 0;
  for (const field of fieldsWith(reader, entry.start, entry.end, RESOURCE)) {
    if (field === null) {
      yield null;
      continue;
    }
    count.envelope();
    bytes += field.end - field.start;
    const fault = envelopeFault("resource", bytes, 0);
    if (fault !== null) return { resource, fault };
    for (const attribute of fieldsWith(reader, field.start, field.end, RESOURCE_ATTRIBUTES)) {
      if (attribute === null) {
        yield null;
        continue;
      }
      reader.position = attribute.start;
      try {
        readAttribute(reader, attribute.end, resource.attributes, note);
      } catch (thrown) {
        if (!(thrown instanceof RefusedItemError)) throw thrown;
        const tooMany = envelopeFault("resource", bytes, limits.otlpResourceValuesMax - note.valuesLeft);
        return { resource, fault: tooMany ?? resourceRefusal(thrown) };
      }
    }
  }
  return { resource, fault: null };
}

function* readScope(
  reader: ProtobufReader,
  entry: Extent,
  count: ExportCount,
): Generator<null, { scope: ReceivedScope; fault: string | null }, undefined> {
  const scope: ReceivedScope = { name: "", version: "", storedText: null };
  let bytes = 0;
  for (const field of fieldsWith(reader, entry.start, entry.end, SCOPE)) {
    if (field === null) {
      yield null;
      continue;
    }
    count.envelope();
    bytes += field.end - field.start;
    const fault = envelopeFault("scope", bytes, 0);
    if (fault !== null) return { scope, fault };
    reader.position = field.start;
    while (reader.position < field.end) {
      const tag = reader.readTag(field.end);
      if (tag === SCOPE_NAME) scope.name = reader.readString(field.end);
      else if (tag === SCOPE_VERSION) scope.version = reader.readString(field.end);
      else reader.skip(tag, field.end);
    }
  }
  return { scope, fault: null };
}
