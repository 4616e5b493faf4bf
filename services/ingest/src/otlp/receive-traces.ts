import type { Clock, Handler } from "@touchstone/service-kit";
import type { SpanRecorder } from "../recording/span-recorder.ts";
import type { DecodeHeavy } from "./decode-items.ts";
import { readTraceExport } from "./decode-trace-export.ts";
import { encodeTraceExportResponse } from "./encode-reply.ts";
import { inOtlpWords } from "./in-otlp-words.ts";
import type { LargeTurns } from "./large-turns.ts";
import { receiveExport } from "./receive-export.ts";

/**
 * What is decoded at a time: as much as collectors send at once, so that most exports are one commit. Decoded, the
 * smallest of spans is twenty times its bytes.
 */
const slice = { rowsMax: 8192, bytesMax: 16 * 1024 * 1024 };

/**
 * `POST /otel/v1/traces`: every valid span of an export is committed before the answer (otlp 2). When a slice fails, the
 * sender is asked for the whole export again, of which the slices before it are replays that store nothing.
 */
export function receiveTraces(dependencies: {
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
