import { otlpQuotaRetryAfterSeconds, type Route, routes } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  type Handler,
  isAppError,
  type OtlpEncoding,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { SpanRecorder } from "../recording/span-recorder.ts";
import type { DecodeHeavy } from "./decode-items.ts";
import { readLogExport } from "./decode-log-export.ts";
import { readTraceExport } from "./decode-trace-export.ts";
import { encodeLogsExportResponse, encodeMetricsExportResponse, encodeTraceExportResponse } from "./encode-reply.ts";
import { createLargeTurns, type LargeTurns } from "./large-turns.ts";
import { receiveExport } from "./receive-export.ts";
import { checkJsonEnvelopes, type JsonEnvelope } from "./wire/json-envelope.ts";
import { checkProtobufEnvelopes } from "./wire/protobuf-envelope.ts";

/** OTLP/HTTP. */
export function otlpRoutes(dependencies: {
  recorder: SpanRecorder;
  clock: Clock;
  /** Leave out traces without any GenAI span in their export. */
  genAiOnly: boolean;
  /** Largest body, on the wire and inflated. */
  otlpBodyMaxBytes: number;
  /** Decodes a project's heavy spans off the event loop. */
  decodeApart: (projectId: string) => DecodeHeavy;
  takes(handle: Handler): Handler;
}): ServedRoute[] {
  const { otlpBodyMaxBytes, takes } = dependencies;
  const otlp = { ...dependencies, turns: createLargeTurns() };
  const sized = <R extends Route>(route: R): R =>
    route.body === undefined ? route : { ...route, body: { ...route.body, maxBytes: otlpBodyMaxBytes } };
  return [
    { route: sized(routes.receiveTraces), handle: takes(receiveTraces(otlp)) },
    // Some exporters post traces to the configured base address, without a path (otlp 1).
    { route: sized(routes.receiveTracesAtBase), handle: takes(receiveTraces(otlp)) },
    { route: sized(routes.receiveLogs), handle: takes(receiveLogs(otlp)) },
    { route: sized(routes.receiveMetrics), handle: receiveMetrics(otlp) },
  ];
}

/**
 * The spans or log records decoded at a time: the batch size of collectors, so that most exports are one commit.
 * Decoded, the smallest spans take twenty times their bytes.
 */
const slice = { rowsMax: 8192, bytesMax: 16 * 1024 * 1024 };

/**
 * `POST /otel/v1/traces`: commits every valid span of an export before it answers (otlp 2). If a slice fails, the
 * sender must resend the whole export; the slices before it are then replays that store nothing.
 */
function receiveTraces(dependencies: {
  recorder: SpanRecorder;
  turns: LargeTurns;
  clock: Clock;
  genAiOnly: boolean;
  decodeApart: (projectId: string) => DecodeHeavy;
}): Handler {
  const { recorder, clock, genAiOnly, decodeApart } = dependencies;
  return receiveExport(dependencies, async ({ projectId, body, encoding, holdRows }) => {
    const decodeHeavy = decodeApart(projectId);
    const request = { body, contentType: encoding, nowMs: clock.now(), genAiOnly, decodeHeavy };
    const { rejected, reason, message } = await readTraceExport(
      request,
      { ...slice, hold: holdRows },
      async (spans) => {
        await recorder.record(spans, { projectId }).catch((thrown) => {
          throw inOtlpWords(thrown, { count: spans.length, noun: "spans" });
        });
      },
    );
    return {
      ...encodeTraceExportResponse({ rejected, message, contentType: encoding }),
      rejected: { outcome: "rejected_spans", count: rejected, example: reason },
    };
  });
}

/**
 * `POST /otel/v1/logs`: commits the records' facts about spans before it answers, whether or not the spans have arrived
 * (otlp 7). A record sent again is stored once, so after a failure the whole export can be resent.
 */
function receiveLogs(dependencies: {
  recorder: SpanRecorder;
  turns: LargeTurns;
  clock: Clock;
  decodeApart: (projectId: string) => DecodeHeavy;
}): Handler {
  const { recorder, clock, decodeApart } = dependencies;
  return receiveExport(dependencies, async ({ projectId, body, encoding, holdRows }) => {
    const request = { body, contentType: encoding, nowMs: clock.now(), decodeHeavy: decodeApart(projectId) };
    const { rejected, reason, message } = await readLogExport(request, { ...slice, hold: holdRows }, (fragments) =>
      recorder.recordFragments(fragments, projectId).catch((thrown) => {
        throw inOtlpWords(thrown, { count: fragments.length, noun: "log records" });
      }),
    );
    return {
      ...encodeLogsExportResponse({ rejected, message, contentType: encoding }),
      rejected: { outcome: "rejected_log_records", count: rejected, example: reason },
    };
  });
}

/** `POST /otel/v1/metrics`: accepted and not stored; an exporter would log any error once a minute (otlp 7). */
function receiveMetrics(dependencies: { turns: LargeTurns }): Handler {
  return receiveExport(dependencies, async ({ body, encoding }) => {
    await checkMetricsEnvelope(body, encoding);
    return { ...encodeMetricsExportResponse({ rejected: 0, message: null, contentType: encoding }), rejected: null };
  });
}

/** Words the failures of a whole export for OTLP senders (completions 1.4, 2.6). */
function inOtlpWords(thrown: unknown, { count, noun }: { count: number; noun: string }): unknown {
  if (!isAppError(thrown)) return thrown;
  if (thrown.code === "trace_quota_spent") {
    const { internalHeaders } = thrown;
    const options = { cause: thrown, retryAfterSeconds: otlpQuotaRetryAfterSeconds, internalHeaders };
    return new AppError(thrown.code, thrown.message, options);
  }
  const messages: Partial<Record<AppError["code"], string>> = {
    queue_full: `ingest queue full - ${count} ${noun} shed, retry with backoff`,
    store_unavailable: `trace storage unavailable - ${count} ${noun} not stored, retry`,
  };
  const message = messages[thrown.code];
  return message === undefined ? thrown : new AppError(thrown.code, message, { cause: thrown });
}

const envelope: JsonEnvelope = { entries: "resourceMetrics", scopes: "scopeMetrics", items: "metrics" };

/** Checks that a body is a metrics export, which is not stored; throws OtlpDecodeError otherwise (otlp 7). */
export function checkMetricsEnvelope(body: Buffer, contentType: OtlpEncoding): Promise<void> {
  return contentType === "json" ? checkJsonEnvelopes(body, envelope) : checkProtobufEnvelopes(body);
}
