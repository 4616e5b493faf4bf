import type { ExportItem } from "./export-item.ts";
import { type JsonEnvelope, type JsonRoot, walkJsonItems } from "./json-envelope.ts";
import { walkProtobufItems } from "./protobuf-envelope.ts";
import { ProtobufReader } from "./protobuf-reader.ts";
import type { SpanSource } from "./read-span.ts";

const spans: JsonEnvelope = { entries: "resourceSpans", scopes: "scopeSpans", items: "spans" };
const logs: JsonEnvelope = { entries: "resourceLogs", scopes: "scopeLogs", items: "logRecords" };

/**
 * Where the spans of an export lie, one at a time; null marks a pause. A fault in the envelopes around them throws
 * OtlpDecodeError. `root` is filled for JSON alone.
 */
export function walkSpans(source: SpanSource, root: JsonRoot): Iterable<ExportItem | null> {
  return walkItems(source, spans, root);
}

/** Where the records of a log export lie, as of its spans. */
export function walkLogs(source: SpanSource, root: JsonRoot): Iterable<ExportItem | null> {
  return walkItems(source, logs, root);
}

function walkItems({ body, contentType }: SpanSource, envelope: JsonEnvelope, root: JsonRoot) {
  return contentType === "json"
    ? walkJsonItems(body, envelope, root)
    : walkProtobufItems(new ProtobufReader(body), body.length);
}
