import { otlpExport, otlpLogsReply, otlpMetricsReply, otlpTracesReply } from "../http/otlp.ts";
import { deadlines, limits } from "../limits.ts";
import type { Route } from "../route.ts";
import { bodyRefusals, prefix } from "./route-parts.ts";

const otlp = {
  method: "POST",
  owner: "ingest",
  authentication: ["key", "authorization"],
  rateGroup: "dataPlane",
  envelope: "otlp",
  deadlineMs: deadlines.gatewayHopMs,
  body: { kind: "otlp", schema: otlpExport, maxBytes: limits.otlpBodyMaxBytes, required: false },
} as const;

/** OpenTelemetry. */
export const otlpRoutes = {
  receiveTraces: {
    ...otlp,
    id: "receiveTraces",
    path: `${prefix}/otel/v1/traces`,
    responses: {
      200: { description: "Every valid span is committed; `partialSuccess` counts the rest.", schema: otlpTracesReply },
      ...bodyRefusals,
    },
    summary: "Receive an OTLP trace export, protobuf or JSON.",
    section: "interface: POST otel/v1/traces",
  },
  receiveTracesAtBase: {
    ...otlp,
    id: "receiveTracesAtBase",
    path: `${prefix}/otel`,
    responses: {
      200: { description: "As /otel/v1/traces.", schema: otlpTracesReply },
      ...bodyRefusals,
    },
    summary: "The same for exporters that post to the base address.",
    section: "otlp 1",
  },
  receiveLogs: {
    ...otlp,
    id: "receiveLogs",
    path: `${prefix}/otel/v1/logs`,
    responses: {
      200: { description: "Accepted; a warning says what was ignored.", schema: otlpLogsReply },
      ...bodyRefusals,
    },
    summary: "Receive an OTLP logs export.",
    section: "otlp 7",
  },
  receiveMetrics: {
    ...otlp,
    id: "receiveMetrics",
    path: `${prefix}/otel/v1/metrics`,
    responses: {
      200: { description: "Accepted; metrics are not stored.", schema: otlpMetricsReply },
      ...bodyRefusals,
    },
    summary: "Accept an OTLP metrics export.",
    section: "otlp 7",
  },
} as const satisfies Record<string, Route>;
