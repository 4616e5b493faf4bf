import { queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components } from "../api/schema.gen.d.ts";

export type TraceDetail = components["schemas"]["TraceDetail"];

/** The spans of a trace without their texts, at most 50,000. Megabytes, so it is not reloaded on focus. */
export const outlineQuery = (api: ProjectApi, traceId: string) =>
  queryOptions({
    queryKey: [api.projectId, "trace-outline", traceId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/ingest/traces/{traceId}/outline", { params: { path: { traceId } }, signal })),
    staleTime: 60_000,
    structuralSharing: false,
  });

/** One trace or span with its texts. */
export const traceQuery = (api: ProjectApi, traceId: string) =>
  queryOptions({
    queryKey: [api.projectId, "trace", traceId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/ingest/traces/{traceId}", { params: { path: { traceId } }, signal })),
    staleTime: 30_000,
    structuralSharing: false,
  });

/**
 * The trace id of the producer; null for traces that were not sent over OpenTelemetry. Traces without a session use it as their
 * session.
 */
export function otelTraceId(metadata: unknown): string | null {
  const otel = (metadata as { otel?: { traceId?: unknown } } | null | undefined)?.otel;
  return typeof otel?.traceId === "string" ? otel.traceId : null;
}
