import { isRecord } from "./is-record.ts";
import { type JsonEnvelope, type JsonItem, type JsonRoot, walkJsonItems } from "./json-envelope.ts";
import { MisshapenItemError, readNano, readText } from "./read-json-span.ts";
import { readAnyValue, readJsonAttributes } from "./read-json-value.ts";
import { emptyLog, type LogReading, type ReceivedLog } from "./received-log.ts";

const envelope: JsonEnvelope = { entries: "resourceLogs", scopes: "scopeLogs", items: "logRecords" };

/**
 * The records of an OTLP/JSON log export, one at a time. A record of the wrong shape is reported in its place and costs
 * only itself; for the rest see {@link walkJsonItems}.
 */
export function* readJsonLogs(body: Buffer, root: JsonRoot): Generator<LogReading, void, undefined> {
  for (const item of walkJsonItems(body, envelope, root)) yield item === null ? null : readLogItem(item);
}

function readLogItem({ value, wireBytes, scope, resource }: JsonItem): LogReading {
  try {
    return { log: readLog(value, wireBytes), scope, resource };
  } catch (cause) {
    if (!(cause instanceof MisshapenItemError)) throw cause;
    return { unreadable: cause.message, name: cause.itemName, scope, foreign: false };
  }
}

function readLog(value: unknown, wireBytes: number): ReceivedLog {
  if (!isRecord(value)) throw new MisshapenItemError("log record is not an object", "");
  const log = emptyLog(wireBytes);
  log.eventName = readText(value.eventName);
  log.traceId = readText(value.traceId).toLowerCase();
  log.spanId = readText(value.spanId).toLowerCase();
  log.timeNano = readNano(value.timeUnixNano);
  log.observedNano = readNano(value.observedTimeUnixNano);
  log.body = readAnyValue(value.body, 0, log);
  const attributes = value.attributes ?? [];
  if (!Array.isArray(attributes)) throw new MisshapenItemError("attributes must be an array", log.eventName);
  log.attributes = readJsonAttributes(attributes, log);
  return log;
}
