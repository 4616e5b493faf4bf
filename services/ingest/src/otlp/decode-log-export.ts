import type { IncomingFragment } from "../model/incoming-fragment.ts";
import { createItemDecoder, type ItemSource } from "./decode-items.ts";
import type { ExportSlice } from "./decode-trace-export.ts";
import { digestOf, toFragment } from "./mapping/map-log-record.ts";
import { createExportReport, type ExportReport, type ItemLabel } from "./partial-success.ts";
import type { TakenLog } from "./take-log.ts";
import type { JsonRoot } from "./wire/json-envelope.ts";
import { takeTurn } from "./wire/take-turn.ts";
import { walkLogs } from "./wire/walk-items.ts";

/** A decoded log export. `recordCount` counts every record sent: stored, rejected and ignored. */
export interface DecodedLogs {
  fragments: IncomingFragment[];
  recordCount: number;
  rejected: number;
  /** The reason of the first rejection; null if none was rejected. */
  reason: string | null;
  /** As in a trace export. */
  message: string | null;
}

/** Maximum number of spans, and of different records, that are counted at a time. */
const countedMax = 100_000;

/**
 * Reads the inflated body of a log export and passes on the facts about spans in slices; `take` finishes with one
 * before the next is read (otlp 7). Never drops a good record because of a bad one; records without GenAI content are
 * ignored with a warning. Throws OtlpDecodeError if the body as a whole cannot be read.
 */
export async function readLogExport(
  request: ItemSource,
  slice: ExportSlice,
  take: (fragments: IncomingFragment[]) => Promise<void>,
): Promise<Omit<DecodedLogs, "fragments">> {
  const report = createExportReport("log record");
  const root: JsonRoot = { names: new Set() };
  const decode = createItemDecoder(request);
  const turn = takeTurn();
  const [countOfSpan, countEqual] = [countRecords(), countRecords()];
  let fragments: IncomingFragment[] = [];
  let bytes = 0;
  let recordCount = 0;
  let ignored = 0;
  let unplaced = 0;

  for (const item of walkLogs(request, root)) {
    if (item !== null) {
      recordCount += 1;
      const decoded = decode("log", item);
      const taken = decoded instanceof Promise ? await decoded : decoded;
      tellOf(taken, { name: taken.name, scope: item.scope.name }, report);
      if (taken.ignored === "ignored") ignored += 1;
      else if (taken.ignored === "unplaced") unplaced += 1;
      else if (taken.said !== null) {
        const digest = digestOf(taken.said);
        const place = { digest, equalBefore: countEqual(digest), index: countOfSpan(taken.spanKey) };
        const fragment = toFragment(taken.said, place);
        fragments.push(fragment);
        bytes += fragment.body.length;
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

function tellOf({ warnings, fault }: TakenLog, label: ItemLabel, report: ExportReport): void {
  for (const warning of warnings) report.warn(warning, label);
  if (fault !== null) report.reject(fault, label);
}

/** Counts by key; returns how many of the key came before. */
function countRecords(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    if (counts.size >= countedMax) counts.clear();
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before;
  };
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
