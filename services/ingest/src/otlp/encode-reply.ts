import type { OtlpEncoding } from "@touchstone/service-kit";

/**
 * The content of an export reply: nothing (full success), a warning, or the number of rejected items with the reason.
 */
export interface ExportOutcome {
  rejected: number;
  message: string | null;
}

/** A body and its content type, which must be that of the request: exporters warn about any other. */
export interface EncodedReply {
  contentType: "application/x-protobuf" | "application/json";
  body: Buffer;
}

/** The reply to a trace export: `ExportTraceServiceResponse` (otlp 2). Full success is zero bytes, or `{}`. */
export function encodeTraceExportResponse(outcome: ExportOutcome & { contentType: OtlpEncoding }): EncodedReply {
  return encodeExportResponse("rejectedSpans", outcome);
}

/** The reply to a log export. */
export function encodeLogsExportResponse(outcome: ExportOutcome & { contentType: OtlpEncoding }): EncodedReply {
  return encodeExportResponse("rejectedLogRecords", outcome);
}

/** The reply to a metrics export. */
export function encodeMetricsExportResponse(outcome: ExportOutcome & { contentType: OtlpEncoding }): EncodedReply {
  return encodeExportResponse("rejectedDataPoints", outcome);
}

function encodeExportResponse(
  rejectedName: string,
  { rejected, message, contentType }: ExportOutcome & { contentType: OtlpEncoding },
): EncodedReply {
  const hasNews = rejected > 0 || (message !== null && message !== "");
  if (contentType === "protobuf") {
    const partialSuccess = Buffer.concat([varintField(1, rejected), textField(2, message ?? "")]);
    const body = hasNews ? lengthDelimited(1, partialSuccess) : Buffer.alloc(0);
    return { contentType: "application/x-protobuf", body };
  }
  // protobuf's JSON writes 64-bit integers as text.
  const partialSuccess = { [rejectedName]: String(rejected), errorMessage: message ?? "" };
  const body = Buffer.from(JSON.stringify(hasNews ? { partialSuccess } : {}));
  return { contentType: "application/json", body };
}

/** proto3 omits fields that hold their default. */
function varintField(field: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.from([field << 3, ...varint(value)]);
}

function textField(field: number, text: string): Buffer {
  return text === "" ? Buffer.alloc(0) : lengthDelimited(field, Buffer.from(text));
}

function lengthDelimited(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return bytes;
}
