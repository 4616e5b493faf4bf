import { type JsonEnvelope, type JsonItem, type JsonRoot, walkJsonItems } from "./json-envelope.ts";
import { MisshapenItemError, readJsonSpan } from "./read-json-span.ts";
import type { SpanReading } from "./received-span.ts";

const envelope: JsonEnvelope = { entries: "resourceSpans", scopes: "scopeSpans", items: "spans" };

/**
 * The spans of an OTLP/JSON export, one at a time (otlp 1, JSON peculiarities). A span of the wrong shape is reported
 * in its place and costs only itself; for the rest see {@link walkJsonItems}.
 */
export function* readJsonExport(body: Buffer, root: JsonRoot): Generator<SpanReading, void, undefined> {
  for (const item of walkJsonItems(body, envelope, root)) yield item === null ? null : readSpan(item);
}

function readSpan({ value, wireBytes, scope, resource }: JsonItem): SpanReading {
  try {
    return { span: readJsonSpan(value, wireBytes), scope, resource };
  } catch (cause) {
    if (!(cause instanceof MisshapenItemError)) throw cause;
    return { unreadable: cause.message, name: cause.itemName, scope, foreign: false };
  }
}
