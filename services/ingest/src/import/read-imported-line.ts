import { limits } from "@touchstone/contracts";
import {
  decodeJsonText,
  isAppError,
  JsonSyntaxError,
  runInSlices,
  type Sliced,
  scanMembersInSlices,
} from "@touchstone/service-kit";
import type { IncomingSpan } from "../model/span.ts";
import type { ItemSource } from "../otlp/decode-items.ts";
import { type ExportSlice, readTraceExport } from "../otlp/decode-trace-export.ts";
import { OtlpDecodeError } from "../otlp/wire/otlp-decode-error.ts";
import type { ImportCounter } from "./import-tally.ts";
import { LineFault, readExportedSpan } from "./read-exported-span.ts";
import type { Line } from "./split-lines.ts";

/** An exported span never makes a longer line; an OTLP/JSON export may. */
const spanLineMaxBytes = 2 * limits.jsonBodyMaxBytes;

export interface LineReading extends Pick<ItemSource, "nowMs" | "decodeHeavy"> {
  counter: ImportCounter;
  /** A long line is read no further once it aborts. */
  signal: AbortSignal;
  /** Accepts spans of the line; the next ones are read when it resolves. */
  take(spans: IncomingSpan[]): Promise<void>;
}

/**
 * Reads the spans of a line: one exported span, or any number in an OTLP/JSON export, at most `slice` at a time. Faults
 * are counted, not thrown.
 */
export async function readImportedLine(
  { number, bytes }: Line,
  slice: ExportSlice,
  { nowMs, decodeHeavy, counter, signal, take }: LineReading,
): Promise<void> {
  if (bytes === null) return counter.rejected(number, "the line is too long");
  let failure: { cause: unknown } | null = null;
  const takeOrFail = (spans: IncomingSpan[]): Promise<void> =>
    take(spans).catch((cause) => {
      failure = { cause };
      throw cause;
    });
  try {
    const span = bytes.length > spanLineMaxBytes ? null : await runInSlices(readSpanLine(bytes, nowMs), signal);
    if (span !== null) return await takeOrFail([span]);
    const request = { body: bytes, contentType: "json", nowMs, decodeHeavy } as const;
    const { rejected, message } = await readTraceExport(request, slice, takeOrFail);
    if (rejected > 0) counter.rejected(number, message ?? "spans are invalid", rejected);
  } catch (thrown) {
    if (failure !== null) throw thrown;
    counter.rejected(number, describeFault(thrown));
  }
}

/** Null if the line is an OTLP/JSON export. */
function* readSpanLine(bytes: Buffer, nowMs: number): Sliced<IncomingSpan | null> {
  const { type, members } = yield* scanMembersInSlices(decodeJsonText(bytes));
  if (members === null) throw new LineFault(`a line is a JSON object, not ${type}`);
  return members.has("resourceSpans") ? null : yield* readExportedSpan(members, nowMs);
}

/** The message for expected faults; anything else is a bug, and must not look like a bad line. */
function describeFault(thrown: unknown): string {
  if (thrown instanceof LineFault || thrown instanceof JsonSyntaxError || thrown instanceof OtlpDecodeError) {
    return thrown.message;
  }
  if (isAppError(thrown) && thrown.code === "body_unreadable") return "the line is not UTF-8";
  throw thrown;
}
