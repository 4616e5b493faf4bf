import { limits } from "@touchstone/contracts/limits";
import type { OtlpEncoding } from "@touchstone/service-kit";
import { type ExportItem, itemFault, parseExtent } from "./export-item.ts";
import { ProtobufError, ProtobufReader } from "./protobuf-reader.ts";
import { readJsonSpan } from "./read-json-span.ts";
import { readProtobufSpan } from "./read-protobuf-span.ts";
import { emptySpan, type ReceivedSpan } from "./received-span.ts";
import { RefusedItemError } from "./refused-item.ts";

/** A body of spans without its content encoding. */
export interface SpanSource {
  body: Buffer;
  contentType: OtlpEncoding;
}

/** The content of one position in an export. `foreign`: the bytes may belong to another signal. */
export type SpanReading =
  | { span: ReceivedSpan }
  | { unreadable: string; name: string; foreign: boolean; valuesRead: number };

/**
 * Reads one span. Invalid bytes, a wrong shape or too many values reject only that span; invalid JSON throws a
 * SyntaxError.
 */
export function readSpan({ body, contentType }: SpanSource, item: ExportItem): SpanReading {
  const fault = itemFault(item);
  if (fault !== null) return { unreadable: fault, name: "", foreign: false, valuesRead: 0 };
  const span = emptySpan(item.end - item.start);
  try {
    if (contentType === "json") readJsonSpan(parseExtent(body, item.start, item.end), span);
    else {
      const reader = new ProtobufReader(body);
      reader.position = item.start;
      readProtobufSpan(reader, item.end, span);
    }
    return { span };
  } catch (cause) {
    const valuesRead = limits.otlpValuesMax - span.valuesLeft;
    if (cause instanceof RefusedItemError) {
      return { unreadable: cause.message, name: span.name, foreign: false, valuesRead };
    }
    if (!(cause instanceof ProtobufError)) throw cause;
    return { unreadable: `span could not be decoded: ${cause.message}`, name: "", foreign: true, valuesRead };
  }
}
