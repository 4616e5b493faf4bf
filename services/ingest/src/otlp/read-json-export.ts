import { isRecord } from "./is-record.ts";
import { type JsonExtent, JsonExtents } from "./json-extents.ts";
import { OtlpDecodeError } from "./otlp-decode-error.ts";
import { MisshapenSpanError, readJsonSpan } from "./read-json-span.ts";
import { readJsonAttributes } from "./read-json-value.ts";
import type { ReceivedResource, ReceivedScope, SpanReading } from "./received-span.ts";

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

const traceEnvelope: JsonEnvelope = { entries: "resourceSpans", scopes: "scopeSpans", items: "spans" };

/**
 * The spans of an OTLP/JSON export, one at a time (otlp 1, JSON peculiarities). A span of the wrong shape is reported
 * in its place and costs only itself; text that is not JSON, or an envelope of the wrong shape, throws
 * {@link OtlpDecodeError}. `root` is filled before the first span comes.
 */
export function* readJsonExport(body: Buffer, root: JsonRoot): Generator<SpanReading, void, undefined> {
  const extents = new JsonExtents(body);
  const entries = yield* findEntries(extents, traceEnvelope, root);
  for (const entry of entries) {
    const resource = readResource(entry.resource && extents.parse(entry.resource));
    for (const scopeEntry of entry.scopes) {
      const scope = readScope(scopeEntry.scope && extents.parse(scopeEntry.scope));
      for (const item of scopeEntry.items) yield readSpanAt(extents, item, scope, resource);
    }
  }
}

/** How many log records or metrics a JSON export holds. All of it is checked to be JSON. Null marks a pause. */
export function* countJsonItems(body: Buffer, envelope: JsonEnvelope): Generator<null, number, undefined> {
  const extents = new JsonExtents(body);
  const entries = yield* findEntries(extents, envelope, { names: new Set() });
  let count = 0;
  for (const entry of entries) {
    if (entry.resource !== null) extents.parse(entry.resource);
    for (const scopeEntry of entry.scopes) {
      if (scopeEntry.scope !== null) extents.parse(scopeEntry.scope);
      for (const item of scopeEntry.items) {
        extents.parse(item);
        count += 1;
        yield null;
      }
    }
  }
  return count;
}

interface Entry {
  resource: JsonExtent | null;
  scopes: ScopeEntry[];
}

interface ScopeEntry {
  scope: JsonExtent | null;
  items: JsonExtent[];
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
  for (const name of extents.members()) {
    root.names.add(name);
    if (name !== envelope.entries) passOver(extents);
    else
      for (const _ of listOf(extents, name)) {
        entries.push(yield* findEntry(extents, envelope));
      }
  }
  extents.expectEnd();
  return entries;
}

function* findEntry(extents: JsonExtents, envelope: JsonEnvelope): Generator<null, Entry, undefined> {
  const entry: Entry = { resource: null, scopes: [] };
  for (const name of membersOf(extents, envelope.entries)) {
    if (name === "resource") entry.resource = extents.skipValue();
    else if (name !== envelope.scopes) passOver(extents);
    else
      for (const _ of listOf(extents, name)) {
        entry.scopes.push(yield* findScopeEntry(extents, envelope));
      }
  }
  return entry;
}

function* findScopeEntry(extents: JsonExtents, envelope: JsonEnvelope): Generator<null, ScopeEntry, undefined> {
  const entry: ScopeEntry = { scope: null, items: [] };
  for (const name of membersOf(extents, envelope.scopes)) {
    if (name === "scope") entry.scope = extents.skipValue();
    else if (name !== envelope.items) passOver(extents);
    else
      for (const _ of listOf(extents, name)) {
        entry.items.push(extents.skipValue());
        yield null;
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

function readSpanAt(
  extents: JsonExtents,
  item: JsonExtent,
  scope: ReceivedScope,
  resource: ReceivedResource,
): SpanReading {
  const value = extents.parse(item);
  try {
    return { span: readJsonSpan(value, item.end - item.start), scope, resource };
  } catch (cause) {
    if (!(cause instanceof MisshapenSpanError)) throw cause;
    return { unreadable: cause.message, name: cause.spanName, scope, foreign: false };
  }
}
