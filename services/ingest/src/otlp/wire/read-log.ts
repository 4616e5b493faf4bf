import { limits } from "@touchstone/contracts/limits";
import { isRecord } from "../../messages/json-text.ts";
import { type ExportItem, itemFault, parseExtent } from "./export-item.ts";
import { ProtobufError, ProtobufReader } from "./protobuf-reader.ts";
import { readList, readNano, readText } from "./read-json-span.ts";
import { readJsonAttributes, readAnyValue as readJsonValue } from "./read-json-value.ts";
import { readAnyValue, readAttribute } from "./read-protobuf-value.ts";
import type { SpanSource } from "./read-span.ts";
import { emptyLog, type ReceivedLog } from "./received-log.ts";
import { RefusedItemError } from "./refused-item.ts";

const TIME = 9;
const BODY = 42;
const ATTRIBUTES = 50;
const TRACE_ID = 74;
const SPAN_ID = 82;
const OBSERVED_TIME = 89;
const EVENT_NAME = 98;

/** The same as readSpan, for a log record. */
export function readLog(
  { body, contentType }: SpanSource,
  item: ExportItem,
): { log: ReceivedLog } | { unreadable: string; name: string; valuesRead: number } {
  const fault = itemFault(item);
  if (fault !== null) return { unreadable: fault, name: "", valuesRead: 0 };
  const log = emptyLog(item.end - item.start);
  try {
    if (contentType === "json") readJsonLog(parseExtent(body, item.start, item.end), log);
    else {
      const reader = new ProtobufReader(body);
      reader.position = item.start;
      readProtobufLog(reader, item.end, log);
    }
    return { log };
  } catch (cause) {
    const valuesRead = limits.otlpValuesMax - log.valuesLeft;
    if (cause instanceof RefusedItemError) return { unreadable: cause.message, name: log.eventName, valuesRead };
    if (!(cause instanceof ProtobufError)) throw cause;
    return { unreadable: `log record could not be decoded: ${cause.message}`, name: "", valuesRead };
  }
}

function readJsonLog(value: unknown, log: ReceivedLog): void {
  if (!isRecord(value)) throw new RefusedItemError("log record is not an object");
  log.eventName = readText(value.eventName);
  log.traceId = readText(value.traceId).toLowerCase();
  log.spanId = readText(value.spanId).toLowerCase();
  log.timeNano = readNano(value.timeUnixNano);
  log.observedNano = readNano(value.observedTimeUnixNano);
  log.body = readJsonValue(value.body, 0, log);
  log.attributes = readJsonAttributes(readList(value.attributes, "attributes"), log);
}

function readProtobufLog(reader: ProtobufReader, end: number, log: ReceivedLog): void {
  while (reader.position < end) {
    const tag = reader.readTag(end);
    switch (tag) {
      case TIME:
        log.timeNano = reader.readFixed64(end);
        break;
      case OBSERVED_TIME:
        log.observedNano = reader.readFixed64(end);
        break;
      case TRACE_ID:
        log.traceId = reader.readHex(end);
        break;
      case SPAN_ID:
        log.spanId = reader.readHex(end);
        break;
      case EVENT_NAME:
        log.eventName = reader.readString(end);
        break;
      case BODY:
        log.body = readAnyValue(reader, reader.readLength(end), 0, log, log.body);
        break;
      case ATTRIBUTES:
        readAttribute(reader, reader.readLength(end), log.attributes, log);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}
