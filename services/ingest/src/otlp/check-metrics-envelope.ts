import type { OtlpEncoding } from "@touchstone/service-kit";
import { checkJsonEnvelopes, type JsonEnvelope } from "./wire/json-envelope.ts";
import { checkProtobufEnvelopes } from "./wire/protobuf-envelope.ts";

const envelope: JsonEnvelope = { entries: "resourceMetrics", scopes: "scopeMetrics", items: "metrics" };

/** Metrics are accepted and not stored; a body that is no metrics export throws OtlpDecodeError (otlp 7). */
export function checkMetricsEnvelope(body: Buffer, contentType: OtlpEncoding): Promise<void> {
  return contentType === "json" ? checkJsonEnvelopes(body, envelope) : checkProtobufEnvelopes(body);
}
