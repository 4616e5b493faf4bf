import { decodeJsonText, isAppError } from "@touchstone/service-kit";
import { JsonSyntaxError, scanMembers } from "../json/scan-members.ts";
import { decodeTraceExport } from "../otlp/decode-trace-export.ts";
import { OtlpDecodeError } from "../otlp/otlp-decode-error.ts";
import type { IncomingSpan } from "../spans/span.ts";
import type { ImportCounter } from "./import-tally.ts";
import { LineFault, readExportedSpan } from "./read-exported-span.ts";
import type { Line } from "./split-lines.ts";

/** The spans of a line: one of an exported trace, any number of an OTLP/JSON export. What is wrong is counted, not thrown. */
export async function readImportedLine(
  { number, bytes }: Line,
  nowMs: number,
  counter: ImportCounter,
): Promise<IncomingSpan[]> {
  if (bytes === null) {
    counter.rejected(number, "the line is too long");
    return [];
  }
  try {
    const { type, members } = scanMembers(decodeJsonText(bytes));
    if (members === null) throw new LineFault(`a line is a JSON object, not ${type}`);
    if (!members.has("resourceSpans")) return [readExportedSpan(members, nowMs)];
    const { spans, rejected, message } = await decodeTraceExport({ body: bytes, contentType: "json", nowMs });
    if (rejected > 0) counter.rejected(number, message ?? "spans are invalid", rejected);
    return spans;
  } catch (thrown) {
    counter.rejected(number, describeFault(thrown));
    return [];
  }
}

/** What a sender may be told; anything else is a bug, which must not look like a bad line. */
function describeFault(thrown: unknown): string {
  if (thrown instanceof LineFault || thrown instanceof JsonSyntaxError || thrown instanceof OtlpDecodeError) {
    return thrown.message;
  }
  if (isAppError(thrown) && thrown.code === "body_unreadable") return "the line is not UTF-8";
  throw thrown;
}
