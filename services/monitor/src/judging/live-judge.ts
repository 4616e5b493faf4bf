import { type Bus, type BusError, isBusError } from "@touchstone/bus";
import { deadlines, type JudgeRubric, type SkipReason, scoreResult, type Verdict } from "@touchstone/contracts";
import type { z } from "zod";
import type { CheckOutcome } from "../checks/check.ts";
import { budgetExhausted, type LiveBudget } from "./live-budget-store.ts";

type Reply = z.output<typeof scoreResult.reply>;
type NotJudged = Exclude<CheckOutcome, { outcome: "done" }>;

export interface LiveCase {
  projectId: string;
  judges: readonly JudgeRubric[];
  case: z.input<typeof scoreResult.body>["case"];
  /** Composed once it is known if the budget allows its judges. */
  group: ((isStopped: boolean) => z.input<typeof scoreResult.body>["group"]) | null;
}

/** Asks the judge about live traffic, within the project's budget of live calls. */
export interface LiveJudge {
  /** The judge's reply, or the outcome of the check. Rejects with the reason of `signal` when it is aborted. */
  ask(asked: LiveCase, signal: AbortSignal): Promise<{ reply: Reply } | NotJudged>;
}

/** Temporary reasons: a retry may succeed. */
const passing: ReadonlySet<SkipReason | null> = new Set<SkipReason>(["provider_error", "timeout", "no_judge"]);
/** Reasons after which a provider was asked, or may have been, unless the judge says otherwise. */
const asking: ReadonlySet<SkipReason | null> = new Set<SkipReason>(["provider_error", "timeout", "unparseable"]);

/** Whether a provider was asked, or may have been, by a judge that gave no answer. */
export const wasProviderAsked = ({ reason, isUnsent = false }: Pick<Verdict, "reason" | "isUnsent">): boolean =>
  asking.has(reason) && !isUnsent;

/**
 * A recorded verdict costs no call (`verdictMode` cache): a check that is repeated after a kill gets the paid verdict, and its
 * new reservation is returned.
 */
export function createLiveJudge({ bus, budget }: { bus: Bus; budget: LiveBudget }): LiveJudge {
  return {
    async ask({ projectId, judges, case: judged, group }, signal) {
      const reservation = judges.length === 0 ? null : await budget.reserve(projectId, judges.length);
      const isStopped = judges.length > 0 && reservation === null;
      if (isStopped && group === null) return { outcome: "skipped", reason: budgetExhausted };
      const release = async (calls: number): Promise<void> => {
        if (reservation !== null) await budget.release(reservation, calls);
      };
      try {
        const reply = await bus.request(
          scoreResult,
          {
            projectId,
            judges: isStopped ? [] : [...judges],
            case: judged,
            similarity: { jaccard: false, bleu: false, rouge: false, vector: null },
            verdictMode: "cache",
            group: group?.(isStopped) ?? null,
          },
          { timeoutMs: deadlines.resultMs, signal },
        );
        await release(reply.verdicts.filter((verdict) => !wasAsked(verdict)).length);
        return { reply };
      } catch (thrown) {
        if (signal.aborted || !isBusError(thrown)) throw thrown;
        const ending = endingOf(thrown);
        if (ending.outcome !== "retry") await release(judges.length);
        return ending;
      }
    },
  };
}

/** The outcome of a check whose judge gave no rating; null: it gave one. */
export function endingOfVerdict(verdict: Verdict | undefined): NotJudged | null {
  if (verdict === undefined) return { outcome: "retry", reason: "The judge returned no verdict." };
  if (verdict.rating !== null) return null;
  if (isUncounted(verdict)) return { outcome: "postponed", reason: verdict.justification };
  return { outcome: isPassing(verdict) ? "retry" : "skipped", reason: verdict.justification };
}

/** True if the judge could not count its quota: it is as good as unavailable, and no provider was called. */
export const isUncounted = ({ rating, isPassing = false }: Verdict): boolean => rating === null && isPassing;

/** True if the judge may give a rating later. */
export const isPassing = ({ rating, reason }: Verdict): boolean => rating === null && passing.has(reason);

const wasAsked = (verdict: Verdict): boolean =>
  verdict.rating === null ? wasProviderAsked(verdict) : verdict.source === "live" || verdict.source === null;

function endingOf(error: BusError): NotJudged {
  switch (error.kind) {
    case "no_responder":
      return { outcome: "postponed", reason: "No judge is running." };
    case "disconnected":
      return { outcome: "postponed", reason: "The judge could not be asked: the message bus is unavailable." };
    case "busy":
      return { outcome: "postponed", reason: "Every judge is busy." };
    case "too_large":
      return { outcome: "skipped", reason: "The trace is too large to judge." };
    case "timeout":
      return { outcome: "retry", reason: "The trace was not judged in time." };
    case "invalid_reply":
      return { outcome: "retry", reason: "The judge's answer could not be read." };
    case "failed":
      return { outcome: "retry", reason: "The judge failed on this trace." };
  }
}
