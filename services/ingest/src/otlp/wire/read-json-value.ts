import { limits } from "@touchstone/contracts/limits";
import { isRecord } from "../../messages/json-text.ts";
import { truncationMarker } from "../../model/span-body.ts";
import { type AttributeMap, type AttributeValue, doubleValue } from "./received-span.ts";
import { requireRoom } from "./refused-item.ts";

/** Records that a value was too deep to keep. Values were counted in the text. */
interface DepthNote {
  depthTruncated: boolean;
}

/**
 * Reads a list of `{key, value}`; entries without a key are skipped. A key sent twice keeps its last value. Throws
 * RefusedItemError if there are too many.
 */
export function readJsonAttributes(entries: readonly unknown[], note: DepthNote): AttributeMap {
  const attributes: AttributeMap = new Map();
  for (const entry of entries) {
    if (isRecord(entry) && typeof entry.key === "string") {
      attributes.set(entry.key, readAnyValue(entry.value, 0, note));
      requireRoom(attributes);
    }
  }
  return attributes;
}

/** An integer of OTLP/JSON: a number or decimal text. An exact number, else canonical text; null if it is neither. */
export function readJsonInteger(value: unknown): number | string | null {
  if (typeof value === "number") {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return BigInt(value).toString();
    return value;
  }
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (!/^[+-]?\d{1,20}$/.test(text)) {
    const number = text === "" ? Number.NaN : Number(text);
    return Number.isFinite(number) ? readJsonInteger(number) : null;
  }
  const number = Number(text);
  return Number.isSafeInteger(number) ? number + 0 : BigInt(text).toString();
}

/**
 * A value of an attribute or a body. Besides the AnyValue object, plain text, numbers and booleans are accepted:
 * hand-written senders use them.
 */
export function readAnyValue(value: unknown, depth: number, note: DepthNote): AttributeValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (!isRecord(value)) return null;
  if (isSet(value.stringValue)) return scalarText(value.stringValue);
  if (isSet(value.intValue)) return readJsonInteger(value.intValue) ?? scalarText(value.intValue);
  if (isSet(value.boolValue)) return value.boolValue === true || value.boolValue === "true";
  if (isSet(value.doubleValue)) return readDouble(value.doubleValue);
  if (isSet(value.bytesValue)) return scalarText(value.bytesValue);
  if (isSet(value.arrayValue)) return readList(value.arrayValue, "array", depth, note);
  if (isSet(value.kvlistValue)) return readList(value.kvlistValue, "kvlist", depth, note);
  return null;
}

function readList(list: unknown, form: "array" | "kvlist", depth: number, note: DepthNote): AttributeValue {
  if (depth >= limits.otlpDepthMax) {
    note.depthTruncated = true;
    return truncationMarker;
  }
  const values = isRecord(list) && Array.isArray(list.values) ? list.values : [];
  if (form === "array") return values.map((item) => readAnyValue(item, depth + 1, note));
  const record = Object.create(null) as Record<string, AttributeValue>;
  for (const entry of values) {
    if (isRecord(entry) && typeof entry.key === "string") {
      record[entry.key] = readAnyValue(entry.value, depth + 1, note);
    }
  }
  return record;
}

/** "NaN", "Infinity" and "-Infinity" stay text, which is also how OTLP/JSON writes them. */
function readDouble(value: unknown): AttributeValue {
  if (typeof value === "number") return doubleValue(value);
  if (typeof value !== "string") return null;
  const number = Number(value);
  return value.trim() === "" || Number.isNaN(number) ? value : doubleValue(number);
}

function scalarText(value: unknown): AttributeValue {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
