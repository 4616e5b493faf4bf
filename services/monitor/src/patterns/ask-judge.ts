import { type Bus, isBusError } from "@touchstone/bus";
import { deadlines, limits, matchPattern } from "@touchstone/contracts";
import { wasProviderAsked } from "../judging/live-judge.ts";
import type { DecideSemantic } from "./matching/evaluate-conditions.ts";
import { UndecidedError } from "./matching/undecided-error.ts";

/** No judge answers on the bus, which is not the fault of the request. */
export class JudgeUnavailableError extends Error {}

/** The judge cannot count its quota, and calls no provider meanwhile. The message is for the client. */
export class QuotaUncountedError extends JudgeUnavailableError {}

type Reason = NonNullable<ReturnType<typeof matchPattern.reply.parse>["failure"]>["reason"];

/** Reasons that a retry on the same day will not change. */
const lasting: readonly Reason[] = ["no_key", "quota", "too_large"];

/**
 * Asks the judge about semantic conditions of one project, one call for each. Throws {@link UndecidedError} when the judge
 * could not decide, and {@link JudgeUnavailableError} when there is none or it cannot count its quota.
 */
export function askJudge(
  bus: Bus,
  payer: { projectId: string; organizationId?: string | null },
  signal: AbortSignal,
): DecideSemantic {
  return async (prompt, text) => {
    const asked = { ...payer, model: null, prompt, text: text.slice(0, limits.matchedTextMaxChars).toWellFormed() };
    const reply = await bus.request(matchPattern, asked, { timeoutMs: deadlines.resultMs, signal }).catch((thrown) => {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      const isUnavailable = thrown.kind === "no_responder" || thrown.kind === "disconnected" || thrown.kind === "busy";
      if (isUnavailable) throw new JudgeUnavailableError(`the judge is unavailable: ${thrown.kind}`);
      const isTooLarge = thrown.kind === "too_large";
      throw new UndecidedError(`the judge did not answer: ${thrown.kind}`, {
        isLasting: isTooLarge,
        wasAsked: !isTooLarge,
      });
    });
    if (reply.match !== null) return reply.match;
    const noDecision = { reason: "unparseable" as const, message: "no decision", isPassing: false };
    const failure = reply.failure ?? noDecision;
    const { reason, message, isPassing } = failure;
    if (isPassing) throw new QuotaUncountedError(message);
    throw new UndecidedError(message, { isLasting: lasting.includes(reason), wasAsked: wasProviderAsked(failure) });
  };
}
