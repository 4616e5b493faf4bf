/** The OpenTelemetry ids of a span. */
export interface OtelName {
  /** 32 lowercase hexadecimal characters. */
  traceId: string;
  /** 16 of them. */
  spanId: string;
  /** The provider's id of the model response that the span represents; null: none. */
  responseId: string | null;
}

/** The ids of a settled span; null when it did not arrive over OTLP. */
export function otelNameOf({
  otelTraceId,
  otelSpanId,
  responseId = null,
}: {
  otelTraceId?: string | null | undefined;
  otelSpanId?: string | null | undefined;
  responseId?: string | null | undefined;
}): OtelName | null {
  return otelTraceId && otelSpanId ? { traceId: otelTraceId, spanId: otelSpanId, responseId } : null;
}
