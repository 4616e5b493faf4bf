import { limits } from "@touchstone/contracts/limits";
import type { IncomingFragment } from "../model/incoming-fragment.ts";
import { eventNameOf, readLogContent, type SaidOfSpan, toSaid } from "./mapping/map-log-record.ts";
import { findIdFault } from "./validate-span.ts";
import { capMaps } from "./wire/cap-attributes.ts";
import type { ExportItem } from "./wire/export-item.ts";
import { readLog } from "./wire/read-log.ts";
import type { SpanSource } from "./wire/read-span.ts";
import type { ReceivedLog } from "./wire/received-log.ts";
import type { AttributeMap } from "./wire/received-span.ts";

/** What one record of a log export became. */
export interface TakenLog {
  /** What is to be stored; null when it is rejected or ignored. */
  said: (SaidOfSpan & Pick<IncomingFragment, "otelTraceId" | "spanId" | "responseId">) | null;
  /** The two ids as they were sent, however little they name. */
  spanKey: string;
  /** Why it is rejected. */
  fault: string | null;
  /** It tells of nothing that we know, or of no span or response that it names. */
  ignored: "ignored" | "unplaced" | null;
  /** What was changed of it, in sentences for its sender. */
  warnings: string[];
  name: string;
  /** As of a span. */
  valuesRead: number;
}

/** Bytes of one record that are kept; the same as of a span. */
const recordBytesMax = 4 * 1024 * 1024;

/** Reads and checks one record, and takes what it says of its span (otlp 7). Throws a SyntaxError for JSON that is none. */
export function takeLog(source: SpanSource, item: ExportItem): TakenLog {
  const reading = readLog(source, item);
  const none = { said: null, spanKey: "", fault: null, ignored: null, warnings: [] };
  if ("unreadable" in reading) {
    return { ...none, fault: reading.unreadable, name: reading.name, valuesRead: reading.valuesRead };
  }
  const { log } = reading;
  const taken = { ...none, name: eventNameOf(log), valuesRead: limits.otlpValuesMax - log.valuesLeft };
  const warnings = capRecord(log) ? ["values over 4 MiB were truncated"] : [];
  const found = readLogContent(log, item.scope, item.resource);
  if (found === null) return { ...taken, warnings, ignored: "ignored" };
  if (log.depthTruncated) warnings.push("values nested too deep were truncated");
  const traceId = /^0*$/.test(log.traceId) ? null : log.traceId;
  const spanId = /^0*$/.test(log.spanId) ? null : log.spanId;
  const fault = findIdFault(traceId, spanId);
  if (fault !== null) return { ...taken, warnings, fault };
  // A span's name for a record is its two ids; one of them alone names nothing.
  const isPlaced = traceId !== null && spanId !== null;
  if (!isPlaced && found.responseId === null) return { ...taken, warnings, ignored: "unplaced" };
  const target = {
    otelTraceId: traceId,
    spanId: isPlaced ? spanId : null,
    responseId: isPlaced ? null : found.responseId,
  };
  const spanKey = `${traceId} ${spanId} ${target.responseId}`;
  return { ...taken, warnings, spanKey, said: { ...target, ...toSaid(found.content, log) } };
}

/** Cuts the largest values of a record until all of them fit, and says whether any had to be cut. */
function capRecord(log: ReceivedLog): boolean {
  if (log.wireBytes <= recordBytesMax) return false;
  const body: AttributeMap = new Map([["body", log.body]]);
  const wasCut = capMaps([log.attributes, body], recordBytesMax);
  log.body = body.get("body") ?? null;
  return wasCut;
}
