import { isRecord } from "../../messages/json-text.ts";
import { countExport, type ExportCount } from "./count-export.ts";
import { type ExportItem, envelopeFault, resourceRefusal } from "./export-item.ts";
import { type JsonExtent, JsonExtents } from "./json-extents.ts";
import { OtlpDecodeError } from "./otlp-decode-error.ts";
import { readJsonAttributes } from "./read-json-value.ts";
import type { ReceivedResource, ReceivedScope } from "./received-span.ts";
import { RefusedItemError } from "./refused-item.ts";
import { takeTurn } from "./take-turn.ts";

/** The names of one signal's envelope. */
export interface JsonEnvelope {
  entries: "resourceSpans" | "resourceLogs" | "resourceMetrics";
  scopes: "scopeSpans" | "scopeLogs" | "scopeMetrics";
  items: "spans" | "logRecords" | "metrics";
}

/** The members of an export's root object, for hints about a body without the expected ones. */
export interface JsonRoot {
  names: Set<string>;
}

/** Distinct root member names that are kept. */
const namesKept = 64;

/**
 * The items of an OTLP/JSON export, for any signal (otlp 1, JSON peculiarities); null marks a pause. The grammar around
 * the items is checked before the first item is returned, each item when it is parsed; invalid JSON, an envelope of the
 * wrong shape, and one with too many parts throw {@link OtlpDecodeError}. `root` is filled before the first item.
 */
export function* walkJsonItems(
  body: Buffer,
  envelope: JsonEnvelope,
  root: JsonRoot,
): Generator<ExportItem | null, void, undefined> {
  const extents = new JsonExtents(body);
  const entries = yield* findEntries(extents, envelope, root);
  for (const entry of entries) {
    yield null;
    const { resource, fault } = readResource(extents, entry.resource);
    for (const scopeEntry of entry.scopes) {
      yield null;
      const { scope, fault: scopeFault } = readScope(extents, scopeEntry.scope);
      for (const list of scopeEntry.lists) {
        extents.position = list.start;
        for (const _ of extents.elements()) {
          const { start, end, values } = extents.skipShort() ?? (yield* extents.skipLong());
          yield { start, end, values, scope, resource, fault: fault ?? scopeFault };
        }
      }
    }
  }
}

/** Reads a whole JSON export and checks that it is JSON; throws like {@link walkJsonItems}. */
export async function checkJsonEnvelopes(body: Buffer, envelope: JsonEnvelope): Promise<void> {
  const turn = takeTurn();
  const extents = new JsonExtents(body);
  for (const item of walkJsonItems(body, envelope, { names: new Set() })) {
    if (item !== null && !isLarge(item)) extents.parse(item);
    if (turn.isOver()) await turn.next();
  }
}

interface Entry {
  resource: JsonExtent | null;
  scopes: ScopeEntry[];
}

interface ScopeEntry {
  scope: JsonExtent | null;
  /**
   * The positions of the lists of items. A list is walked again later: storing the position of every item could take
   * gigabytes.
   */
  lists: { start: number }[];
}

/** One pass over the body: the order of members is free, so nothing can be parsed before all of it was seen. */
function* findEntries(
  extents: JsonExtents,
  envelope: JsonEnvelope,
  root: JsonRoot,
): Generator<null, Entry[], undefined> {
  if (extents.peek() !== "object") {
    throw new OtlpDecodeError("The body is not an OTLP/JSON export: its root must be an object.");
  }
  const entries: Entry[] = [];
  const count = countExport();
  for (const name of extents.members()) {
    count.envelope();
    if (root.names.size < namesKept) root.names.add(name);
    if (name !== envelope.entries) yield* passOver(extents);
    else
      for (const _ of yield* listOf(extents, name)) {
        count.envelope();
        entries.push(yield* findEntry(extents, envelope, count));
      }
  }
  extents.expectEnd();
  return entries;
}

function* findEntry(
  extents: JsonExtents,
  envelope: JsonEnvelope,
  count: ExportCount,
): Generator<null, Entry, undefined> {
  const entry: Entry = { resource: null, scopes: [] };
  for (const name of yield* membersOf(extents, envelope.entries)) {
    count.envelope();
    if (name === "resource") entry.resource = yield* extents.skipValue();
    else if (name !== envelope.scopes) yield* passOver(extents);
    else
      for (const _ of yield* listOf(extents, name)) {
        count.envelope();
        entry.scopes.push(yield* findScopeEntry(extents, envelope, count));
      }
  }
  return entry;
}

function* findScopeEntry(
  extents: JsonExtents,
  envelope: JsonEnvelope,
  count: ExportCount,
): Generator<null, ScopeEntry, undefined> {
  const entry: ScopeEntry = { scope: null, lists: [] };
  for (const name of yield* membersOf(extents, envelope.scopes)) {
    count.envelope();
    if (name === "scope") entry.scope = yield* extents.skipValue();
    else if (name !== envelope.items) yield* passOver(extents);
    else {
      const start = extents.position;
      const isList = extents.peek() === "array";
      for (const _ of yield* listOf(extents, name)) {
        count.item();
        if (extents.skipShort() === null) yield* extents.skipLong();
        yield null;
      }
      if (isList) entry.lists.push({ start });
    }
  }
  return entry;
}

const nothing: Generator<never, void, undefined> = (function* nothing() {})();

/** Elements of a list; null means unset. Any other value rejects the export rather than losing it. */
function* listOf(extents: JsonExtents, name: string): Generator<null, Generator<void, void, undefined>, undefined> {
  if (extents.peek() === "array") return extents.elements();
  if ((yield* passOver(extents)) === null) return nothing;
  throw new OtlpDecodeError(`The body is not an OTLP/JSON export: ${name} must be an array.`);
}

function* membersOf(
  extents: JsonExtents,
  listName: string,
): Generator<null, Generator<string, void, undefined>, undefined> {
  yield null;
  if (extents.peek() === "object") return extents.members();
  if ((yield* passOver(extents)) === null) return nothing;
  throw new OtlpDecodeError(`The body is not an OTLP/JSON export: ${listName} must hold objects.`);
}

/**
 * Skips an unused value and returns it: parsing is what checks that it is JSON. A large one, such as an export of
 * another signal, is not parsed, and undefined is returned.
 */
function* passOver(extents: JsonExtents): Generator<null, unknown, undefined> {
  yield null;
  const extent = yield* extents.skipValue();
  return isLarge(extent) ? undefined : extents.parse(extent);
}

/** Unused values are parsed only if they are small: none is rejected for its size. */
function isLarge({ start, end, values }: JsonExtent): boolean {
  return envelopeFault("scope", end - start, values) !== null;
}

function readResource(
  extents: JsonExtents,
  extent: JsonExtent | null,
): { resource: ReceivedResource; fault: string | null } {
  const fault = extent === null ? null : envelopeFault("resource", extent.end - extent.start, extent.values);
  const value = extent === null || fault !== null ? null : extents.parse(extent);
  const entries = isRecord(value) && Array.isArray(value.attributes) ? value.attributes : [];
  try {
    const attributes = readJsonAttributes(entries, { depthTruncated: false });
    return { resource: { attributes, storedText: null }, fault };
  } catch (thrown) {
    if (!(thrown instanceof RefusedItemError)) throw thrown;
    return { resource: { attributes: new Map(), storedText: null }, fault: resourceRefusal(thrown) };
  }
}

function readScope(extents: JsonExtents, extent: JsonExtent | null): { scope: ReceivedScope; fault: string | null } {
  const fault = extent === null ? null : envelopeFault("scope", extent.end - extent.start, extent.values);
  const value = extent === null || fault !== null ? null : extents.parse(extent);
  const { name, version } = isRecord(value) ? value : {};
  return {
    scope: {
      name: typeof name === "string" ? name : "",
      version: typeof version === "string" ? version : "",
      storedText: null,
    },
    fault,
  };
}
