/** What a span is called by OpenTelemetry. */
export interface OtelName {
  /** 32 lowercase hexadecimal characters. */
  traceId: string;
  /** 16 of them. */
  spanId: string;
  /** The answer of a model that the span is, by its provider's name; null: it is none. */
  responseId: string | null;
}

/** That of what settled; null when it did not come over OTLP. */
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
