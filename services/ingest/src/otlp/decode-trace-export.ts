/*
 * How an OTLP export becomes rows. read-span finds one span of the body after the other and reads it in one shape,
 * ReceivedSpan, whatever the encoding; what is too much is refused unread. validate-span says whether it can be stored and
 * repairs what may be repaired; partial-success collects what the sender should hear. map-span then asks the span for
 * every field: where a field may be found is data (sources, content-sources, tokens, map-span-kind), and SpanFacts
 * remembers what was used, so that the rest is kept. A row is a function of its own span alone: what needs the other
 * spans of a trace is computed where they are stored.
 */

import type { IncomingSpan } from "../model/span.ts";
import { createItemDecoder, type ItemSource } from "./decode-items.ts";
import { createExportReport, type ExportReport, type ItemLabel, logsHint } from "./partial-success.ts";
import type { TakenSpan } from "./take-span.ts";
import type { JsonRoot } from "./wire/json-envelope.ts";
import { checkProtobufEnvelopes } from "./wire/protobuf-envelope.ts";
import { takeTurn } from "./wire/take-turn.ts";
import { walkSpans } from "./wire/walk-items.ts";

/** A trace export, out of its content encoding. */
export interface TraceExport extends ItemSource {
  /** Leave out traces of which no span of this export tells of GenAI (otlp 5.6). */
  genAiOnly?: boolean;
}

/** What to tell the sender. `spanCount` counts every span sent: stored, rejected and passed over. */
export interface ExportSummary {
  spanCount: number;
  rejected: number;
  /** Why the first of them was; null when none was. */
  reason: string | null;
  /** For partial success; null on full success. With `rejected` 0 it is a warning. */
  message: string | null;
}

/** What of an export is held in memory at a time: spans, and their bytes on the wire. */
export interface ExportSlice {
  rowsMax: number;
  bytesMax: number;
  /** Told how many spans are in hand whenever that changes; what it throws ends the reading. */
  hold?(rows: number): void;
}

/** A decoded trace export. */
export interface DecodedExport extends ExportSummary {
  spans: IncomingSpan[];
}

/** {@link readTraceExport}, all in one piece. */
export async function decodeTraceExport(request: TraceExport): Promise<DecodedExport> {
  let spans: IncomingSpan[] = [];
  const whole = { rowsMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };
  const summary = await readTraceExport(request, whole, async (slice) => {
    spans = slice;
  });
  return { spans, ...summary };
}

/**
 * Decodes the inflated body of a trace export and maps each of its spans (otlp 2, 4, 5). They are handed on in slices,
 * and `take` is done with one before the next is read: a body may bring millions of them. Never drops a good span for a
 * bad neighbour. Throws OtlpDecodeError when the body as a whole cannot be read: before the first slice, unless the
 * fault is JSON of a single span. A body of any size shares the event loop: no turn is longer than a few milliseconds
 * and the largest single span.
 */
export async function readTraceExport(
  request: TraceExport,
  slice: ExportSlice,
  take: (spans: IncomingSpan[]) => Promise<void>,
): Promise<ExportSummary> {
  const report = createExportReport("span");
  const root: JsonRoot = { names: new Set() };
  // JSON is checked as a whole before its first span; protobuf, read as it goes, could be found broken at its end.
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

/** A pass of its own: the span that tells of GenAI may be the last of its trace. */
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
