import { isRecord } from "./is-record.ts";
import { type JsonExtent, JsonExtents } from "./json-extents.ts";
import { OtlpDecodeError } from "./otlp-decode-error.ts";
import { readJsonAttributes } from "./read-json-value.ts";
import type { ReceivedResource, ReceivedScope } from "./received-span.ts";
import { takeTurn } from "./take-turn.ts";

/** The names of one signal's envelope. */
export interface JsonEnvelope {
  entries: "resourceSpans" | "resourceLogs" | "resourceMetrics";
  scopes: "scopeSpans" | "scopeLogs" | "scopeMetrics";
  items: "spans" | "logRecords" | "metrics";
}

/** What the root object of an export was made of, for hints about a body that holds none of what was expected. */
export interface JsonRoot {
  names: Set<string>;
}

/** One span, log record or metric as JSON.parse built it. */
export interface JsonItem {
  value: unknown;
  wireBytes: number;
  scope: ReceivedScope;
  resource: ReceivedResource;
}

/** Envelopes of one export, all together. Items are not counted; what is around them is held in memory. */
const envelopesMax = 262_144;
/** Distinct names of the root that are remembered. */
const namesKept = 64;

/**
 * The items of an OTLP/JSON export, whatever its signal (otlp 1, JSON peculiarities); null marks a pause. The grammar
 * around the items is checked before the first of them comes, each item when it comes; text that is not JSON, or an
 * envelope of the wrong shape, throws {@link OtlpDecodeError}. `root` is filled before the first item.
 */
export function* walkJsonItems(
  body: Buffer,
  envelope: JsonEnvelope,
  root: JsonRoot,
): Generator<JsonItem | null, void, undefined> {
  const extents = new JsonExtents(body);
  const entries = yield* findEntries(extents, envelope, root);
  for (const entry of entries) {
    const resource = readResource(entry.resource && extents.parse(entry.resource));
    for (const scopeEntry of entry.scopes) {
      const scope = readScope(scopeEntry.scope && extents.parse(scopeEntry.scope));
      for (const list of scopeEntry.lists) {
        extents.position = list.start;
        for (const _ of extents.elements()) {
          const item = extents.skipValue();
          yield { value: extents.parse(item), wireBytes: item.end - item.start, scope, resource };
        }
      }
    }
  }
}

/** Reads a whole JSON export and checks that all of it is JSON; throws what {@link walkJsonItems} throws. */
export async function checkJsonEnvelopes(body: Buffer, envelope: JsonEnvelope): Promise<void> {
  const turn = takeTurn();
  for (const _ of walkJsonItems(body, envelope, { names: new Set() })) {
    if (turn.isOver()) await turn.next();
  }
}

interface Entry {
  resource: JsonExtent | null;
  scopes: ScopeEntry[];
}

interface ScopeEntry {
  scope: JsonExtent | null;
  /** Where the lists of items lie. A list is walked again later: to remember every item of it could cost gigabytes. */
  lists: JsonExtent[];
}

/** One pass over the body: the order of members is free, so nothing can be built before all of it was seen. */
function* findEntries(
  extents: JsonExtents,
  envelope: JsonEnvelope,
  root: JsonRoot,
): Generator<null, Entry[], undefined> {
  if (extents.peek() !== "object") {
    throw new OtlpDecodeError("The body is not an OTLP/JSON export: its root must be an object.");
  }
  const entries: Entry[] = [];
  const count = countEnvelopes();
  for (const name of extents.members()) {
    if (root.names.size < namesKept) root.names.add(name);
    if (name !== envelope.entries) passOver(extents);
    else
      for (const _ of listOf(extents, name)) {
        count();
        entries.push(yield* findEntry(extents, envelope, count));
      }
  }
  extents.expectEnd();
  return entries;
}

function countEnvelopes(): () => void {
  let left = envelopesMax;
  return () => {
    left -= 1;
    if (left < 0) throw new OtlpDecodeError(`The body holds more than ${envelopesMax} resources, scopes and lists.`);
  };
}

function* findEntry(
  extents: JsonExtents,
  envelope: JsonEnvelope,
  count: () => void,
): Generator<null, Entry, undefined> {
  const entry: Entry = { resource: null, scopes: [] };
  for (const name of membersOf(extents, envelope.entries)) {
    if (name === "resource") entry.resource = extents.skipValue();
    else if (name !== envelope.scopes) passOver(extents);
    else
      for (const _ of listOf(extents, name)) {
        count();
        entry.scopes.push(yield* findScopeEntry(extents, envelope, count));
      }
  }
  return entry;
}

function* findScopeEntry(
  extents: JsonExtents,
  envelope: JsonEnvelope,
  count: () => void,
): Generator<null, ScopeEntry, undefined> {
  const entry: ScopeEntry = { scope: null, lists: [] };
  for (const name of membersOf(extents, envelope.scopes)) {
    if (name === "scope") entry.scope = extents.skipValue();
    else if (name !== envelope.items) passOver(extents);
    else {
      count();
      const isList = extents.peek() === "array";
      const start = extents.position;
      for (const _ of listOf(extents, name)) {
        extents.skipValue();
        yield null;
      }
      if (isList) entry.lists.push({ start, end: extents.position });
    }
  }
  return entry;
}

/** Elements of a list; null means unset, anything else that is no list refuses the export rather than losing it. */
function* listOf(extents: JsonExtents, name: string): Generator<void, void, undefined> {
  if (extents.peek() === "array") yield* extents.elements();
  else if (extents.parse(extents.skipValue()) !== null) {
    throw new OtlpDecodeError(`The body is not an OTLP/JSON export: ${name} must be an array.`);
  }
}

function* membersOf(extents: JsonExtents, listName: string): Generator<string, void, undefined> {
  if (extents.peek() === "object") yield* extents.members();
  else if (extents.parse(extents.skipValue()) !== null) {
    throw new OtlpDecodeError(`The body is not an OTLP/JSON export: ${listName} must hold objects.`);
  }
}

function passOver(extents: JsonExtents): void {
  extents.parse(extents.skipValue());
}

function readResource(value: unknown): ReceivedResource {
  const entries = isRecord(value) && Array.isArray(value.attributes) ? value.attributes : [];
  return { attributes: readJsonAttributes(entries, { depthTruncated: false }), storedText: null };
}

function readScope(value: unknown): ReceivedScope {
  const { name, version } = isRecord(value) ? value : {};
  return {
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    storedText: null,
  };
}
