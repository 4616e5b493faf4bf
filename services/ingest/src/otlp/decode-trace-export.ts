/*
 * Converts an OTLP export into rows. read-span finds the spans of the body one by one and reads each into one shape,
 * ReceivedSpan, for both encodings; spans over the limits are rejected unread. validate-span checks a span and repairs
 * what it can; partial-success collects the feedback for the sender. map-span then reads every field from the span: the
 * sources of a field are data (sources, content-sources, tokens, map-span-kind), and SpanFacts records the used
 * attributes, so that the rest is kept. A row depends on its span alone: values that need other spans of a trace are
 * computed by the store.
 */

import type { IncomingSpan } from "../model/span.ts";
import { createItemDecoder, type ItemSource } from "./decode-items.ts";
import { createExportReport, type ExportReport, type ItemLabel, logsHint } from "./partial-success.ts";
import type { TakenSpan } from "./take-span.ts";
import type { JsonRoot } from "./wire/json-envelope.ts";
import { checkProtobufEnvelopes } from "./wire/protobuf-envelope.ts";
import { takeTurn } from "./wire/take-turn.ts";
import { walkSpans } from "./wire/walk-items.ts";

/** A trace export without its content encoding. */
export interface TraceExport extends ItemSource {
  /** Leave out traces that have no GenAI span in this export (otlp 5.6). */
  genAiOnly?: boolean;
}

/** Feedback for the sender. `spanCount` counts every span sent: stored, rejected and skipped. */
export interface ExportSummary {
  spanCount: number;
  rejected: number;
  /** The reason of the first rejection; null if none was rejected. */
  reason: string | null;
  /** For partial success; null on full success. With `rejected` 0 it is a warning. */
  message: string | null;
}

/** The part of an export that is in memory at a time: spans, and their bytes on the wire. */
export interface ExportSlice {
  rowsMax: number;
  bytesMax: number;
  /** Receives each change in the number of held spans; an error from it ends the reading. */
  hold?(rows: number): void;
}

/** A decoded trace export. */
export interface DecodedExport extends ExportSummary {
  spans: IncomingSpan[];
}

/** {@link readTraceExport} with the whole export as one slice. */
export async function decodeTraceExport(request: TraceExport): Promise<DecodedExport> {
  let spans: IncomingSpan[] = [];
  const whole = { rowsMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };
  const summary = await readTraceExport(request, whole, async (slice) => {
    spans = slice;
  });
  return { spans, ...summary };
}

/**
 * Decodes the inflated body of a trace export and maps each of its spans (otlp 2, 4, 5). Spans are passed on in slices,
 * and `take` finishes with one before the next is read: a body may hold millions of spans. Never drops a good span
 * because of a bad one. Throws OtlpDecodeError if the body as a whole cannot be read: before the first slice, unless
 * the fault is JSON of a single span. A body of any size shares the event loop: no turn is longer than a few
 * milliseconds and the largest single span.
 */
export async function readTraceExport(
  request: TraceExport,
  slice: ExportSlice,
  take: (spans: IncomingSpan[]) => Promise<void>,
): Promise<ExportSummary> {
  const report = createExportReport("span");
  const root: JsonRoot = { names: new Set() };
  // JSON is checked as a whole before its first span; protobuf is read in order, and could be found invalid at its end.
  if (request.contentType === "protobuf" && Number.isFinite(slice.rowsMax)) await checkProtobufEnvelopes(request.body);
  const wanted = request.genAiOnly === true ? await findGenAiTraces(request) : null;
  const decode = createItemDecoder(request);
  const turn = takeTurn();
  let spans: IncomingSpan[] = [];
  let bytes = 0;
  let spanCount = 0;
  let unwanted = 0;

  for (const item of walkSpans(request, root)) {
    if (item !== null) {
      spanCount += 1;
      const decoded = decode("span", item);
      const taken = decoded instanceof Promise ? await decoded : decoded;
      tellOf(taken, { name: taken.name, scope: item.scope.name }, report);
      if (taken.span !== null) {
        if (wanted !== null && !wanted.has(taken.span.otelTraceId as string)) unwanted += 1;
        else {
          spans.push(taken.span);
          bytes += item.end - item.start;
          slice.hold?.(spans.length);
        }
      }
    }
    if (spans.length >= slice.rowsMax || bytes >= slice.bytesMax) {
      await take(spans);
      spans = [];
      bytes = 0;
      slice.hold?.(0);
    }
    if (turn.isOver()) await turn.next();
  }
  if (spans.length > 0) await take(spans);
  if (unwanted > 0) report.remark(`${unwanted} spans of traces without any GenAI span were dropped`);
  remarkOnRoot(root, report);
  return {
    spanCount,
    rejected: report.rejectedCount(),
    reason: report.firstReason(),
    message: report.message(spanCount),
  };
}

/** A separate pass: the GenAI span may be the last of its trace. */
async function findGenAiTraces(request: TraceExport): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const decode = createItemDecoder(request);
  const turn = takeTurn();
  for (const item of walkSpans(request, { names: new Set() })) {
    if (item !== null) {
      const traceId = await decode("genAiTrace", item);
      if (traceId !== null) found.add(traceId);
    }
    if (turn.isOver()) await turn.next();
  }
  return found;
}

function tellOf({ warnings, fault }: TakenSpan, label: ItemLabel, report: ExportReport): void {
  for (const warning of warnings) report.warn(warning, label);
  if (fault !== null) report.reject(fault.reason, label, { foreign: fault.foreign });
}

/** An empty export without spans is valid; one with other content gets a remark. */
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
