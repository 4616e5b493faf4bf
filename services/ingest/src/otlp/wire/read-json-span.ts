import { limits } from "@touchstone/contracts/limits";
import { isRecord } from "../../messages/json-text.ts";
import { readJsonAttributes, readJsonInteger } from "./read-json-value.ts";
import type { AttributeMap, ReceivedEvent, ReceivedLink, ReceivedSpan } from "./received-span.ts";
import { RefusedItemError } from "./refused-item.ts";

const kindNames = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const statusNames = ["UNSET", "OK", "ERROR"];

/**
 * Reads one element of `spans`, parsed by JSON.parse, into `span`. Ids are hex text, not base64; integers may be
 * numbers or decimal text; enums may be names; null means unset (otlp 1). Throws {@link RefusedItemError}.
 */
export function readJsonSpan(value: unknown, span: ReceivedSpan): void {
  if (!isRecord(value)) throw new RefusedItemError("span is not an object");
  span.name = readText(value.name);
  span.traceId = readText(value.traceId).toLowerCase();
  span.spanId = readText(value.spanId).toLowerCase();
  span.parentSpanId = readText(value.parentSpanId).toLowerCase();
  span.traceState = readText(value.traceState);
  span.otelKind = readEnum(value.kind, "SPAN_KIND_", kindNames);
  span.startNano = readNano(value.startTimeUnixNano);
  span.endNano = readNano(value.endTimeUnixNano);
  span.attributes = readAttributes(value.attributes, span);
  span.events = readList(value.events, "events", limits.otlpEventsMax).map((event) => readEvent(event, span));
  span.links = readList(value.links, "links", limits.otlpLinksMax).map((link) => readLink(link, span));
  span.droppedAttributes = readUint32(value.droppedAttributesCount);
  span.droppedEvents = readUint32(value.droppedEventsCount);
  span.droppedLinks = readUint32(value.droppedLinksCount);
  span.flags = readUint32(value.flags);
  if (isRecord(value.status)) {
    span.statusMessage = readText(value.status.message);
    span.statusCode = readEnum(value.status.code, "STATUS_CODE_", statusNames);
  }
}

function readEvent(value: unknown, span: ReceivedSpan): ReceivedEvent {
  const event = isRecord(value) ? value : {};
  return {
    timeNano: readNano(event.timeUnixNano),
    name: readText(event.name),
    attributes: readAttributes(event.attributes, span),
  };
}

function readLink(value: unknown, span: ReceivedSpan): ReceivedLink {
  const link = isRecord(value) ? value : {};
  return {
    traceId: readText(link.traceId).toLowerCase(),
    spanId: readText(link.spanId).toLowerCase(),
    attributes: readAttributes(link.attributes, span),
  };
}

function readAttributes(value: unknown, span: ReceivedSpan): AttributeMap {
  return readJsonAttributes(readList(value, "attributes"), span);
}

/** A list of an item. Any other value, or more than `itemsMax` items, rejects the item. */
export function readList(value: unknown, name: string, itemsMax = Number.POSITIVE_INFINITY): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new RefusedItemError(`${name} must be an array`);
  if (value.length > itemsMax) throw new RefusedItemError(`more than ${itemsMax} ${name}`);
  return value;
}

/** Text, or a scalar from a hand-written sender; any other value is unset. */
export function readText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** A number, a numeric string, or the name of the constant with or without its prefix; unknown values are 0. */
function readEnum(value: unknown, prefix: string, names: readonly string[]): number {
  const number = readJsonInteger(value);
  if (typeof number === "number") return Number.isInteger(number) && number > 0 && number < names.length ? number : 0;
  if (typeof value !== "string") return 0;
  const name = value.trim().toUpperCase();
  return Math.max(0, names.indexOf(name.startsWith(prefix) ? name.slice(prefix.length) : name));
}

function readUint32(value: unknown): number {
  const number = readJsonInteger(value);
  return typeof number === "number" ? number >>> 0 : 0;
}

/** Nanoseconds. Numbers above 2^53 have lost about 100 ns, which is accepted; an invalid time is unset. */
export function readNano(value: unknown): bigint {
  const integer = readJsonInteger(value);
  if (typeof integer === "string") return BigInt(integer) > 0n ? BigInt(integer) : 0n;
  return integer !== null && integer > 0 ? BigInt(Math.round(integer)) : 0n;
}
