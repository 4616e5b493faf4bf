/*
 * How an OTLP export becomes rows. A reader (read-protobuf-export, read-json-export) walks the body and hands out one
 * span at a time in one shape, ReceivedSpan, whatever the encoding. validate-span says whether it can be stored and
 * repairs what may be repaired; partial-success collects what the sender should hear. map-span then asks the span for
 * every field: where a field may be found is data (sources, content-sources, tokens, map-span-kind), and SpanFacts
 * remembers what was used, so that the rest is kept. A row is a function of its own span alone: what needs the other
 * spans of a trace is computed where they are stored.
 */

import type { IncomingSpan } from "../spans/span.ts";
import { capAttributes } from "./cap-attributes.ts";
import { mapSpan } from "./map-span.ts";
import { createExportReport, type ExportReport, logsHint } from "./partial-success.ts";
import { type JsonRoot, readJsonExport } from "./read-json-export.ts";
import { readProtobufExport } from "./read-protobuf-export.ts";
import type { ReceivedSpan, SpanReading } from "./received-span.ts";
import { takeTurn } from "./take-turn.ts";
import { findFault, repairSpan } from "./validate-span.ts";

/** The two encodings of OTLP/HTTP. */
export type OtlpEncoding = "protobuf" | "json";

/** A decoded trace export. `spanCount` counts every span sent: stored, rejected and passed over. */
export interface DecodedExport {
  spans: IncomingSpan[];
  spanCount: number;
  rejected: number;
  /** For partial success; null on full success. With `rejected` 0 it is a warning. */
  message: string | null;
}

/**
 * Decodes the inflated body of a trace export and maps each of its spans (otlp 2, 4, 5). Never drops a good span for a
 * bad neighbour. Throws OtlpDecodeError when the body as a whole cannot be read. A body of any size shares the event
 * loop: no turn is longer than a few milliseconds and the largest single span.
 */
export async function decodeTraceExport(request: {
  body: Buffer;
  contentType: OtlpEncoding;
  nowMs: number;
}): Promise<DecodedExport> {
  const report = createExportReport();
  const root: JsonRoot = { names: new Set() };
  const readings =
    request.contentType === "json" ? readJsonExport(request.body, root) : readProtobufExport(request.body);
  const spans: IncomingSpan[] = [];
  const turn = takeTurn();
  let spanCount = 0;

  for (const reading of readings) {
    if (reading !== null) {
      spanCount += 1;
      const span = takeSpan(reading, request.nowMs, report);
      if (span !== null) spans.push(span);
    }
    if (turn.isOver()) await turn.next();
  }
  remarkOnRoot(root, report);
  return { spans, spanCount, rejected: report.rejected, message: report.message(spanCount) };
}

function takeSpan(reading: NonNullable<SpanReading>, nowMs: number, report: ExportReport): IncomingSpan | null {
  if ("unreadable" in reading) {
    report.reject(reading.unreadable, { span: reading.name, scope: reading.scope.name }, { foreign: reading.foreign });
    return null;
  }
  const { span, scope, resource } = reading;
  const label = { span: span.name, scope: scope.name };
  const fault = findFault(span, nowMs);
  if (fault !== null) {
    report.reject(fault.reason, label, { foreign: fault.foreign });
    return null;
  }
  if (isPlaceholder(span)) return null;
  for (const warning of repairSpan(span, nowMs)) report.warn(warning, label);
  const truncated = capAttributes(span);
  if (truncated) report.warn("attributes over 4 MiB were truncated", label);
  return mapSpan(span, scope, resource, { truncated });
}

/** Logfire announces a running span with an empty one of another id; storing it would leave a trace that never ends. */
function isPlaceholder(span: ReceivedSpan): boolean {
  return span.attributes.get("logfire.span_type") === "pending_span";
}

/** An export without spans is fine when it is empty, and a mistake to point out when it holds something else. */
function remarkOnRoot({ names }: JsonRoot, report: ExportReport): void {
  if (names.size === 0 || names.has("resourceSpans")) return;
  if (names.has("resource_spans")) {
    report.remark(
      "warning: no span was read, because OTLP/JSON names are lowerCamelCase: resourceSpans, not resource_spans",
    );
  } else if (names.has("resourceLogs")) {
    report.remark(`warning: no span was read; ${logsHint}`);
  } else {
    report.remark("warning: no span was read, because the body has no resourceSpans");
  }
}
