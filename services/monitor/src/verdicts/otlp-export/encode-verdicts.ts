import { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { attributesOf, evaluationEvent } from "./evaluation-attributes.ts";
import type { ExportedVerdict } from "./exported-verdict.ts";

// The libraries cost a tenth of a second and 20 MB to load: this file is imported when there is somewhere to send to.

type LogRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];

/** What a collector did not take of a batch that it answered 200 to. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

// One object each: records are grouped by identity.
const resource = resourceFromAttributes({ "service.name": "touchstone" });
const instrumentationScope = { name: "touchstone.monitor" };
/** Whether the judged trace was sampled is not known here. */
const traceFlags = 0;

/** An OTLP export of log records, as protobuf: one for each verdict. */
export function encodeVerdicts(verdicts: readonly ExportedVerdict[]): Uint8Array {
  const encoded = ProtobufLogsSerializer.serializeRequest(verdicts.map(toRecord));
  if (encoded === undefined) throw new Error("verdicts could not be encoded");
  return encoded;
}

/** Reads what a collector answered with 200. Whatever is not such an answer rejects nothing. */
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
