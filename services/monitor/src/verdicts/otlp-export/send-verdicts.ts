import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Clock, OutboundError, type OutboundFetch } from "@touchstone/service-kit";
import { type Collector, readHeaderList } from "../../model/collector-address.ts";
import type { PartialSuccess } from "./encode-verdicts.ts";
import type { ExportedVerdict } from "./exported-verdict.ts";
import { isPassing, readRetryAfter } from "./retry-rules.ts";

/** What one export may take, and what of an answer is read at most. */
export const exportBounds = { totalMs: 10_000, idleMs: 10_000, answerMaxBytes: 64 * 1024 } as const;

/** What came of a batch. `sent` with those that the collector rejected; `refused` for good; `later` when it may pass. */
export type SendOutcome =
  | ({ outcome: "sent" } & PartialSuccess)
  | { outcome: "refused"; reason: string }
  | { outcome: "later"; reason: string; askedDelayMs: number | null };

/** Sends a batch once. Resolves whatever happens. */
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
        // It has them: an answer that breaks off or is no OTLP changes nothing about that.
        const bytes = await answer.bytes().catch(() => new Uint8Array());
        return { outcome: "sent", ...readAnswer(bytes) };
      }
      await answer.body?.cancel();
      const reason = `The collector answered ${status}${status < 400 ? "; redirects are not followed" : ""}.`;
      if (!isPassing(status)) return { outcome: "refused", reason };
      return { outcome: "later", reason, askedDelayMs: readRetryAfter(answer.headers.get("retry-after"), clock.now()) };
    } catch (err) {
      // No message of another kind: it might repeat a header.
      const reason = err instanceof OutboundError ? err.message : "The records could not be sent.";
      return { outcome: "later", reason, askedDelayMs: null };
    }
  };
}
