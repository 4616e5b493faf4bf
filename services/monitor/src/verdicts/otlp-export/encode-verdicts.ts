import { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { attributesOf, evaluationEvent } from "./evaluation-attributes.ts";
import type { ExportedVerdict } from "./exported-verdict.ts";

// The libraries take a tenth of a second and 20 MB to load: this file is imported only if an export is configured.

type LogRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];

/** The part of a batch that a collector rejected in a 200 response. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

// A single object: records are grouped by identity.
const resource = resourceFromAttributes({ "service.name": "touchstone" });
const instrumentationScope = { name: "touchstone.monitor" };
/** The sampling state of the judged trace is unknown here. */
const traceFlags = 0;

/** An OTLP export of log records, as protobuf: one per verdict. */
export function encodeVerdicts(verdicts: readonly ExportedVerdict[]): Uint8Array {
  const encoded = ProtobufLogsSerializer.serializeRequest(verdicts.map(toRecord));
  if (encoded === undefined) throw new Error("verdicts could not be encoded");
  return encoded;
}

/** Reads a collector's 200 response. An unreadable response rejects nothing. */
export function readAnswer(answer: Uint8Array): PartialSuccess {
  try {
    const { partialSuccess } = ProtobufLogsSerializer.deserializeResponse(answer);
    const rejected = Number(partialSuccess?.rejectedLogRecords ?? 0);
    return { rejected: Math.max(rejected, 0), message: partialSuccess?.errorMessage ?? "" };
  } catch {
    return { rejected: 0, message: "" };
  }
}

function toRecord(verdict: ExportedVerdict): LogRecord {
  const ms = Date.parse(verdict.givenAt);
  const hrTime: [number, number] = [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
  const { otel } = verdict;
  return {
    hrTime,
    hrTimeObserved: hrTime,
    ...(otel !== null && { spanContext: { traceId: otel.traceId, spanId: otel.spanId, traceFlags } }),
    eventName: evaluationEvent,
    resource,
    instrumentationScope,
    attributes: attributesOf(verdict),
    droppedAttributesCount: 0,
  };
}
