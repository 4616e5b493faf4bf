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

/** The result of reading one record of a log export. */
export interface TakenLog {
  /** The content to store; null if it is rejected or ignored. */
  said: (SaidOfSpan & Pick<IncomingFragment, "otelTraceId" | "spanId" | "responseId">) | null;
  /** Both ids as they were sent, valid or not. */
  spanKey: string;
  /** The reason of its rejection. */
  fault: string | null;
  /** The record has no known content (`ignored`), or names no span or response (`unplaced`). */
  ignored: "ignored" | "unplaced" | null;
  /** The changes to it, in sentences for the sender. */
  warnings: string[];
  name: string;
  /** As for a span. */
  valuesRead: number;
}

/** Bytes kept of one record; the same as of a span. */
const recordBytesMax = 4 * 1024 * 1024;

/**
 * Reads and checks one record, and extracts its facts about its span (otlp 7). Throws a SyntaxError for invalid JSON.
 */
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
  // Both ids together identify a span; one alone does not.
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

/** Cuts the largest values of a record until all of them fit; returns true if any was cut. */
function capRecord(log: ReceivedLog): boolean {
  if (log.wireBytes <= recordBytesMax) return false;
  const body: AttributeMap = new Map([["body", log.body]]);
  const wasCut = capMaps([log.attributes, body], recordBytesMax);
  log.body = body.get("body") ?? null;
  return wasCut;
}
