import type { ExportItem } from "./export-item.ts";
import { type JsonEnvelope, type JsonRoot, walkJsonItems } from "./json-envelope.ts";
import { walkProtobufItems } from "./protobuf-envelope.ts";
import { ProtobufReader } from "./protobuf-reader.ts";
import type { SpanSource } from "./read-span.ts";

const spans: JsonEnvelope = { entries: "resourceSpans", scopes: "scopeSpans", items: "spans" };
const logs: JsonEnvelope = { entries: "resourceLogs", scopes: "scopeLogs", items: "logRecords" };

/**
 * The positions of the spans of an export, one at a time; null marks a pause. A fault in the envelopes throws
 * OtlpDecodeError. `root` is filled only for JSON.
 */
export function walkSpans(source: SpanSource, root: JsonRoot): Iterable<ExportItem | null> {
  return walkItems(source, spans, root);
}

/** The same for the records of a log export. */
export function walkLogs(source: SpanSource, root: JsonRoot): Iterable<ExportItem | null> {
  return walkItems(source, logs, root);
}

function walkItems({ body, contentType }: SpanSource, envelope: JsonEnvelope, root: JsonRoot) {
  return contentType === "json"
    ? walkJsonItems(body, envelope, root)
    : walkProtobufItems(new ProtobufReader(body), body.length);
}
