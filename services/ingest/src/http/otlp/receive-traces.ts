import { AppError, type Clock, type Handler, isAppError } from "@touchstone/service-kit";
import { decodeTraceExport } from "../../otlp/decode-trace-export.ts";
import { encodeTraceExportResponse } from "../../otlp/encode-reply.ts";
import type { SpanRecorder } from "../../spans/span-recorder.ts";
import type { InflightBudget } from "./inflight-budget.ts";
import { receiveExport } from "./receive-export.ts";

/** `POST /otel/v1/traces`: every valid span of an export is committed before the answer, or none (otlp 2). */
export function receiveTraces(dependencies: { recorder: SpanRecorder; budget: InflightBudget; clock: Clock }): Handler {
  const { recorder, clock } = dependencies;
  return receiveExport(dependencies, async ({ projectId, body, encoding }) => {
    const decoded = await decodeTraceExport({ body, contentType: encoding, nowMs: clock.now() });
    const { spans, rejected, message } = decoded;
    await recorder.record(spans, { projectId }).catch((thrown) => {
      throw inOtlpWords(thrown, spans.length);
    });
    return encodeTraceExportResponse({ rejected, message, contentType: encoding });
  });
}

/** The two failures that ask for the whole export again (completions 2.6). */
function inOtlpWords(thrown: unknown, spanCount: number): unknown {
  if (!isAppError(thrown)) return thrown;
  const messages: Partial<Record<AppError["code"], string>> = {
    queue_full: `ingest queue full - ${spanCount} spans shed, retry with backoff`,
    store_unavailable: `trace storage unavailable - ${spanCount} spans not stored, retry`,
  };
  const message = messages[thrown.code];
  return message === undefined ? thrown : new AppError(thrown.code, message, { cause: thrown });
}
