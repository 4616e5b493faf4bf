import { type ProtobufItem, walkProtobufItems } from "./protobuf-envelope.ts";
import { ProtobufError, ProtobufReader } from "./protobuf-reader.ts";
import { readProtobufSpan } from "./read-protobuf-span.ts";
import type { SpanReading } from "./received-span.ts";

/**
 * The spans of a protobuf `ExportTraceServiceRequest`, one at a time. A span whose bytes are wrong is reported in its
 * place and costs only itself; a fault in the envelopes around the spans throws OtlpDecodeError.
 */
export function* readProtobufExport(body: Buffer): Generator<SpanReading, void, undefined> {
  const reader = new ProtobufReader(body);
  for (const item of walkProtobufItems(reader, body.length)) {
    if (item === null) yield null;
    else yield readSpanAt(reader, item);
  }
}

function readSpanAt(reader: ProtobufReader, { start, end, scope, resource }: ProtobufItem): SpanReading {
  reader.position = start;
  try {
    return { span: readProtobufSpan(reader, end), scope, resource };
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    return { unreadable: `span could not be decoded: ${cause.message}`, name: "", scope, foreign: true };
  }
}
