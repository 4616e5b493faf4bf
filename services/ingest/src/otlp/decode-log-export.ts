import type { IncomingFragment } from "../trees/incoming-fragment.ts";
import { capMaps } from "./cap-attributes.ts";
import type { ExportSlice, OtlpEncoding } from "./decode-trace-export.ts";
import type { JsonRoot } from "./json-envelope.ts";
import { eventNameOf, readLogContent, toFragment } from "./map-log-record.ts";
import { createExportReport, type ExportReport } from "./partial-success.ts";
import { readJsonLogs } from "./read-json-logs.ts";
import { readProtobufLogs } from "./read-protobuf-logs.ts";
import type { LogReading, ReceivedLog } from "./received-log.ts";
import type { AttributeMap } from "./received-span.ts";
import { takeTurn } from "./take-turn.ts";
import { findIdFault } from "./validate-span.ts";

/** A decoded log export. `recordCount` counts every record sent: stored, rejected and ignored. */
export interface DecodedLogs {
  fragments: IncomingFragment[];
  recordCount: number;
  rejected: number;
  /** Why the first of them was; null when none was. */
  reason: string | null;
  /** As of a trace export. */
  message: string | null;
}

export interface LogExport {
  body: Buffer;
  contentType: OtlpEncoding;
}

/** Bytes of one record that are kept; the same as of a span. */
const recordBytesMax = 4 * 1024 * 1024;
/** Spans whose records are counted at a time. */
const countedSpansMax = 100_000;

/**
 * Reads the inflated body of a log export and hands on what its records say of spans, in slices that `take` is done
 * with before the next is read (otlp 7). Never drops a good record for a bad neighbour; records that say nothing of
 * GenAI are ignored with a warning. Throws OtlpDecodeError when the body as a whole cannot be read.
 */
export async function readLogExport(
  request: LogExport,
  slice: ExportSlice,
  take: (fragments: IncomingFragment[]) => Promise<void>,
): Promise<Omit<DecodedLogs, "fragments">> {
  const report = createExportReport("log record");
  const root: JsonRoot = { names: new Set() };
  const readings = request.contentType === "json" ? readJsonLogs(request.body, root) : readProtobufLogs(request.body);
  const turn = takeTurn();
  const count = countRecords();
  let fragments: IncomingFragment[] = [];
  let bytes = 0;
  let recordCount = 0;
  let ignored = 0;
  let unplaced = 0;

  for (const reading of readings) {
    if (reading !== null) {
      recordCount += 1;
      const taken = takeRecord(reading, report, count);
      if (taken === "ignored") ignored += 1;
      else if (taken === "unplaced") unplaced += 1;
      else if (taken !== null) {
        fragments.push(taken);
        bytes += taken.body.length;
      }
    }
    slice.hold?.(fragments.length);
    if (fragments.length >= slice.rowsMax || bytes >= slice.bytesMax) {
      await take(fragments);
      fragments = [];
      bytes = 0;
      slice.hold?.(0);
    }
    if (turn.isOver()) await turn.next();
  }
  if (fragments.length > 0) await take(fragments);
  if (ignored > 0) report.remark(`${ignored} records without GenAI content were ignored`);
  if (unplaced > 0) report.remark(`${unplaced} records name neither a span nor a response and were ignored`);
  remarkOnRoot(root, report);
  return {
    recordCount,
    rejected: report.rejectedCount(),
    reason: report.firstReason(),
    message: report.message(recordCount),
  };
}

function takeRecord(
  reading: NonNullable<LogReading>,
  report: ExportReport,
  count: (spanKey: string) => number,
): IncomingFragment | "ignored" | "unplaced" | null {
  if ("unreadable" in reading) {
    report.reject(reading.unreadable, { name: reading.name, scope: reading.scope.name });
    return null;
  }
  const { log, scope, resource } = reading;
  const label = { name: eventNameOf(log), scope: scope.name };
  if (capRecord(log)) report.warn("values over 4 MiB were truncated", label);
  const found = readLogContent(log, scope, resource);
  if (found === null) return "ignored";
  if (log.depthTruncated) report.warn("values nested too deep were truncated", label);
  const traceId = /^0*$/.test(log.traceId) ? null : log.traceId;
  const spanId = /^0*$/.test(log.spanId) ? null : log.spanId;
  const fault = findIdFault(traceId, spanId);
  if (fault !== null) {
    report.reject(fault, label);
    return null;
  }
  // A span's name for a record is its two ids; one of them alone names nothing.
  const isPlaced = traceId !== null && spanId !== null;
  if (!isPlaced && found.responseId === null) {
    return "unplaced";
  }
  const target = {
    otelTraceId: traceId,
    spanId: isPlaced ? spanId : null,
    responseId: isPlaced ? null : found.responseId,
  };
  const index = count(`${traceId} ${spanId} ${target.responseId}`);
  return toFragment(found.content, log, target, { observedNano: String(log.observedNano), index });
}

function countRecords(): (spanKey: string) => number {
  const counts = new Map<string, number>();
  return (spanKey) => {
    if (counts.size >= countedSpansMax) counts.clear();
    const index = counts.get(spanKey) ?? 0;
    counts.set(spanKey, index + 1);
    return index;
  };
}

/** Cuts the largest values of a record until all of them fit, and says whether any had to be cut. */
function capRecord(log: ReceivedLog): boolean {
  if (log.wireBytes <= recordBytesMax) return false;
  const body: AttributeMap = new Map([["body", log.body]]);
  const wasCut = capMaps([log.attributes, body], recordBytesMax);
  log.body = body.get("body") ?? null;
  return wasCut;
}

function remarkOnRoot({ names }: JsonRoot, report: ExportReport): void {
  if (names.size === 0 || names.has("resourceLogs")) return;
  if (names.has("resource_logs")) {
    report.remark(
      "warning: no record was read, because OTLP/JSON names are lowerCamelCase: resourceLogs, not resource_logs",
    );
  } else if (names.has("resourceSpans")) {
    report.remark("warning: no record was read; this looks like an OTLP trace payload; send it to …/v1/traces");
  } else {
    report.remark("warning: no record was read, because the body has no resourceLogs");
  }
}
