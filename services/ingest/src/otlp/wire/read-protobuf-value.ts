import { limits } from "@touchstone/contracts/limits";
import { truncationMarker } from "../../model/span-body.ts";
import type { ProtobufReader } from "./protobuf-reader.ts";
import {
  type AttributeMap,
  type AttributeRecord,
  type AttributeValue,
  doubleValue,
  type ReadNote,
} from "./received-span.ts";
import { countValue, requireRoom } from "./refused-item.ts";

const KEY = 10;
const VALUE = 18;
const ANY_STRING = 10;
const ANY_BOOL = 16;
const ANY_INT = 24;
const ANY_DOUBLE = 33;
const ANY_ARRAY = 42;
const ANY_KVLIST = 50;
const ANY_BYTES = 58;
const MEMBERS = 10;

/**
 * Reads one `KeyValue` into a map; the cursor is at its first byte and ends at `end`. Throws RefusedItemError if it
 * exceeds the limit.
 */
export function readAttribute(reader: ProtobufReader, end: number, into: AttributeMap, note: ReadNote): void {
  const { key, value } = readKeyValue(reader, end, 0, note);
  into.set(key, value);
  requireRoom(into);
}

function readKeyValue(
  reader: ProtobufReader,
  end: number,
  depth: number,
  note: ReadNote,
): { key: string; value: AttributeValue } {
  countValue(note);
  let key = "";
  let value: AttributeValue = null;
  while (reader.position < end) {
    const tag = reader.readTag(end);
    if (tag === KEY) key = reader.readString(end);
    else if (tag === VALUE) value = readAnyValue(reader, reader.readLength(end), depth, note, value);
    else reader.skip(tag, end);
  }
  return { key, value };
}

/**
 * Reads one AnyValue. `sent` is the value of an earlier piece of the same message: lists grow, anything else is
 * replaced.
 */
export function readAnyValue(
  reader: ProtobufReader,
  end: number,
  depth: number,
  note: ReadNote,
  sent: AttributeValue,
): AttributeValue {
  let value = sent;
  while (reader.position < end) {
    const tag = reader.readTag(end);
    switch (tag) {
      case ANY_STRING:
        value = reader.readString(end);
        break;
      case ANY_BOOL:
        value = reader.readBool(end);
        break;
      case ANY_INT:
        value = reader.readInt64(end);
        break;
      case ANY_DOUBLE:
        value = doubleValue(reader.readDouble(end));
        break;
      case ANY_ARRAY:
      case ANY_KVLIST: {
        const listEnd = reader.readLength(end);
        if (depth >= limits.otlpDepthMax) {
          reader.position = listEnd;
          note.depthTruncated = true;
          value = truncationMarker;
        } else if (tag === ANY_ARRAY) {
          value = readArray(reader, listEnd, depth + 1, note, Array.isArray(value) ? value : []);
        } else {
          value = readRecord(reader, listEnd, depth + 1, note, isRecord(value) ? value : Object.create(null));
        }
        break;
      }
      case ANY_BYTES:
        value = reader.readBase64(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
  return value;
}

function readArray(
  reader: ProtobufReader,
  end: number,
  depth: number,
  note: ReadNote,
  into: AttributeValue[],
): AttributeValue[] {
  while (reader.position < end) {
    const tag = reader.readTag(end);
    if (tag === MEMBERS) {
      countValue(note);
      into.push(readAnyValue(reader, reader.readLength(end), depth, note, null));
    } else reader.skip(tag, end);
  }
  return into;
}

function readRecord(
  reader: ProtobufReader,
  end: number,
  depth: number,
  note: ReadNote,
  into: AttributeRecord,
): AttributeRecord {
  while (reader.position < end) {
    const tag = reader.readTag(end);
    if (tag === MEMBERS) {
      const { key, value } = readKeyValue(reader, reader.readLength(end), depth, note);
      into[key] = value;
    } else {
      reader.skip(tag, end);
    }
  }
  return into;
}

function isRecord(value: AttributeValue): value is AttributeRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
