import type { Clock, Handler } from "@touchstone/service-kit";
import type { DecodeHeavy } from "../../otlp/decode-items.ts";
import { readLogExport } from "../../otlp/decode-log-export.ts";
import { encodeLogsExportResponse } from "../../otlp/encode-reply.ts";
import { inOtlpWords } from "../../otlp/in-otlp-words.ts";
import type { LargeTurns } from "../../otlp/large-turns.ts";
import { receiveExport } from "../../otlp/receive-export.ts";
import type { SpanRecorder } from "../../recording/span-recorder.ts";

/** Records held at a time; see receive-traces.ts. */
const slice = { rowsMax: 8192, bytesMax: 16 * 1024 * 1024 };

/**
 * `POST /otel/v1/logs`: what records say of spans is committed before the answer, whether the spans have come or not
 * (otlp 7). A record sent again is stored once, so a failure asks for the whole export again.
 */
export function receiveLogs(dependencies: {
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
