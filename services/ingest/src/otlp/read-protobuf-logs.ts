import { type ProtobufItem, walkProtobufItems } from "./protobuf-envelope.ts";
import { ProtobufError, ProtobufReader } from "./protobuf-reader.ts";
import { readAnyValue, readAttribute } from "./read-protobuf-value.ts";
import { emptyLog, type LogReading, type ReceivedLog } from "./received-log.ts";

const TIME = 9;
const BODY = 42;
const ATTRIBUTES = 50;
const TRACE_ID = 74;
const SPAN_ID = 82;
const OBSERVED_TIME = 89;
const EVENT_NAME = 98;

/**
 * The records of a protobuf `ExportLogsServiceRequest`, one at a time. A record whose bytes are wrong is reported in its
 * place and costs only itself; a fault in the envelopes around the records throws OtlpDecodeError.
 */
export function* readProtobufLogs(body: Buffer): Generator<LogReading, void, undefined> {
  const reader = new ProtobufReader(body);
  for (const item of walkProtobufItems(reader, body.length)) {
    if (item === null) yield null;
    else yield readLogAt(reader, item);
  }
}

function readLogAt(reader: ProtobufReader, { start, end, scope, resource }: ProtobufItem): LogReading {
  reader.position = start;
  try {
    return { log: readLog(reader, end), scope, resource };
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    return { unreadable: `log record could not be decoded: ${cause.message}`, name: "", scope, foreign: true };
  }
}

function readLog(reader: ProtobufReader, end: number): ReceivedLog {
  const log = emptyLog(end - reader.position);
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
  return log;
}
