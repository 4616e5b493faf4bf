import type { Bus, BusError } from "@touchstone/bus";
import { scoreResult } from "@touchstone/contracts";
import { type AskingOptions, askThroughOutages } from "./ask-through-outages.ts";
import { type Judgement, type JudgeRequest, skipped } from "./judgement.ts";
import type { JudgeReply } from "./read-reply.ts";

/**
 * Asks the judges about one result. Waits while the judge or the bus is unavailable, since a skipped result is final for its
 * key. After that, and for every other failure, returns a judgement that skips the result with a reason: judging never fails
 * the call (completions 5.11; interface: Result status). Rejects only when `signal` is aborted, with its reason.
 */
export async function askJudge(
  bus: Bus,
  request: JudgeRequest,
  options: AskingOptions,
): Promise<{ reply: JudgeReply } | { skipped: Judgement }> {
  const asked = await askThroughOutages(bus, scoreResult, request, options);
  return "reply" in asked ? asked : { skipped: explain(asked.failure) };
}

/** The fixed message for each kind of bus error. */
function explain(error: BusError): Judgement {
  switch (error.kind) {
    case "no_responder":
      return skipped("no_judge", "No judge is running.");
    case "disconnected":
      return skipped("no_judge", "The judge could not be asked: the message bus is unavailable.");
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
