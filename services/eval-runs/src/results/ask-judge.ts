import { setTimeout as sleep } from "node:timers/promises";
import { type Bus, type BusError, isBusError } from "@touchstone/bus";
import { scoreResult } from "@touchstone/contracts";
import type { z } from "zod";
import { type Judgement, type JudgeRequest, skipped } from "./judgement.ts";

export interface AskingOptions {
  /** The whole time, waiting out an outage included. */
  timeoutMs: number;
  /** How long an absent judge or bus is waited for within that time. */
  outageMs: number;
  signal: AbortSignal;
}

/** A judge that restarts is found again within this. */
const outagePauseMs = 500;

/**
 * Asks the judges about one result. An absent judge or bus is waited for, since a skipped result is final for its key;
 * after that, and for every other failure, the result is skipped with a reason: judging never fails the call
 * (decisions: Skipped; interface: Result status). Rejects only when `signal` is aborted, with its reason.
 */
export async function askJudge(bus: Bus, request: JudgeRequest, options: AskingOptions): Promise<Judgement> {
  const startedMs = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    try {
      // Whole milliseconds: the bus drops a deadline that is none.
      const timeoutMs = Math.max(0, Math.floor(options.timeoutMs - elapsedMs));
      return readReply(await bus.request(scoreResult, request, { timeoutMs, signal: options.signal }));
    } catch (thrown) {
      if (options.signal.aborted || !isBusError(thrown)) throw thrown;
      const waitedMs = performance.now() - startedMs + outagePauseMs;
      if (!isOutage(thrown) || waitedMs >= Math.min(options.outageMs, options.timeoutMs)) return explain(thrown);
      await sleep(outagePauseMs, undefined, { signal: options.signal }).catch(() => options.signal.throwIfAborted());
    }
  }
}

const isOutage = (error: BusError): boolean => error.kind === "no_responder" || error.kind === "disconnected";

function readReply(reply: z.output<typeof scoreResult.reply>): Judgement {
  const [verdict] = reply.verdicts;
  const { similarity } = reply;
  if (verdict === undefined) return { ...skipped("unparseable", "The judge returned no verdict."), similarity };
  if (verdict.status === "skipped" || verdict.rating === null) {
    return { ...skipped(verdict.reason ?? "unparseable", verdict.justification), similarity };
  }
  return {
    status: "scored",
    rating: verdict.rating,
    justification: verdict.justification,
    skipReason: null,
    similarity,
  };
}

/** The fixed text for each way the bus has to fail. */
function explain(error: BusError): Judgement {
  switch (error.kind) {
    case "no_responder":
      return skipped("no_judge", "No judge is running.");
    case "disconnected":
      return skipped("no_judge", "The judge could not be asked: the message bus is away.");
    case "busy":
      return skipped("no_judge", "Every judge was busy until the time for this result was over.");
    case "timeout":
      return skipped("timeout", "The result was not judged in time.");
    case "too_large":
      return skipped(
        "too_large",
        `The result is too large to judge (${error.bytes ?? "unknown"} bytes, limit ${error.limit ?? "unknown"}).`,
      );
    case "invalid_reply":
      return skipped("unparseable", "The judge's answer could not be read.");
    case "failed":
      return skipped("provider_error", "The judge failed on this result.");
  }
}
