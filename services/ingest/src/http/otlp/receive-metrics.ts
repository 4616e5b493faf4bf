import type { Handler } from "@touchstone/service-kit";
import { checkMetricsEnvelope } from "../../otlp/check-metrics-envelope.ts";
import { encodeMetricsExportResponse } from "../../otlp/encode-reply.ts";
import type { LargeTurns } from "../../otlp/large-turns.ts";
import { receiveExport } from "../../otlp/receive-export.ts";

/** `POST /otel/v1/metrics`: accepted and not stored; an exporter would log any error once a minute (otlp 7). */
export function receiveMetrics(dependencies: { turns: LargeTurns }): Handler {
  return receiveExport(dependencies, async ({ body, encoding }) => {
    await checkMetricsEnvelope(body, encoding);
    return { ...encodeMetricsExportResponse({ rejected: 0, message: null, contentType: encoding }), rejected: null };
  });
}
