import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Clock, OutboundError, type OutboundFetch, readHeaderList } from "@touchstone/service-kit";
import type { Collector } from "../../model/collector-address.ts";
import type { PartialSuccess } from "./encode-verdicts.ts";
import type { ExportedVerdict } from "./exported-verdict.ts";
import { isPassing, readRetryAfter } from "./retry-rules.ts";

/** Limits of one export and of its response. */
export const exportBounds = { totalMs: 10_000, idleMs: 10_000, answerMaxBytes: 64 * 1024 } as const;

/**
 * The outcome of a batch. `sent` includes the individually rejected ones; `refused` is final; `later` may succeed on a retry.
 */
export type SendOutcome =
  | ({ outcome: "sent" } & PartialSuccess)
  | { outcome: "refused"; reason: string }
  | { outcome: "later"; reason: string; askedDelayMs: number | null };

/** Sends a batch once. Never rejects. */
export type SendVerdicts = (verdicts: readonly ExportedVerdict[]) => Promise<SendOutcome>;

export function createSendVerdicts(options: {
  collector: Collector;
  fetch: OutboundFetch;
  encode: (verdicts: readonly ExportedVerdict[]) => Uint8Array;
  readAnswer: (answer: Uint8Array) => PartialSuccess;
  clock: Clock;
}): SendVerdicts {
  const { collector, fetch, encode, readAnswer, clock } = options;
  const headers = {
    "user-agent": "Touchstone-OTLP-Exporter",
    ...readHeaderList(collector.headers?.reveal() ?? ""),
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
  };
  return async (verdicts) => {
    try {
      const answer = await fetch(collector.url, {
        method: "POST",
        headers,
        body: await promisify(gzip)(encode(verdicts)),
      });
      const { status } = answer;
      if (status >= 200 && status < 300) {
        // The batch was accepted, even if the response breaks off or is not OTLP.
        const bytes = await answer.bytes().catch(() => new Uint8Array());
        return { outcome: "sent", ...readAnswer(bytes) };
      }
      await answer.body?.cancel();
      const reason = `The collector answered ${status}${status < 400 ? "; redirects are not followed" : ""}.`;
      if (!isPassing(status)) return { outcome: "refused", reason };
      return { outcome: "later", reason, askedDelayMs: readRetryAfter(answer.headers.get("retry-after"), clock.now()) };
    } catch (err) {
      // No other error's message: it might repeat a header.
      const reason = err instanceof OutboundError ? err.message : "The records could not be sent.";
      return { outcome: "later", reason, askedDelayMs: null };
    }
  };
}
