import type { Logger } from "@touchstone/service-kit";
import { type CheckKind, type CheckOutcome, checkTriesMax, timeoutTriesMax } from "./check.ts";
import type { CheckStore, Ending, TakenCheck } from "./check-store.ts";

const reasonMaxChars = 500;

/** Writes the outcomes of checks: ends each check, or puts it back for another try. */
export interface OutcomeWriter {
  write(check: TakenCheck, outcome: CheckOutcome): Promise<void>;
  giveUp(check: TakenCheck, reason: string): Promise<void>;
}

export function createOutcomeWriter(options: {
  store: Pick<CheckStore, "settle" | "putBack">;
  logger: Logger;
  /** The delay before each retry. */
  retryDelaysMs: readonly number[];
  postponed: PostponedKinds;
  onSettled: ((kind: CheckKind, outcome: Ending["outcome"]) => void) | undefined;
}): OutcomeWriter {
  const { store, logger, retryDelaysMs, postponed, onSettled } = options;

  async function write(check: TakenCheck, outcome: CheckOutcome): Promise<void> {
    if (outcome.outcome === "postponed") return await postpone(check, outcome.reason);
    postponed.resume(check.kind);
    if (outcome.outcome === "retry") return await retry(check, outcome.reason);
    if (outcome.outcome === "timeout" && check.attempt < timeoutTriesMax) return await retry(check, outcome.reason);
    try {
      await settle(check, endingOf(outcome), "record" in outcome ? outcome.record : nothing);
    } catch (err) {
      logger.warn({ err, kind: check.kind, checkId: check.id }, "what a check found could not be stored");
      await retry(check, describeFailure(err));
    }
  }

  async function settle(check: TakenCheck, ending: Ending, record: Parameters<CheckStore["settle"]>[2]): Promise<void> {
    const isOwn = await store.settle(check, ending, record);
    const facts = { kind: check.kind, checkId: check.id, projectId: check.projectId, subjectId: check.subjectId };
    if (!isOwn) logger.warn(facts, "a check was taken over by another worker; nothing was written");
    else onSettled?.(check.kind, ending.outcome);
    if (isOwn && ending.outcome !== "done") {
      logger.info({ ...facts, scorerId: check.scorerId, ...ending }, "a live check came to nothing");
    }
  }

  async function retry(check: TakenCheck, reason: string): Promise<void> {
    const delayMs = retryDelaysMs[check.attempt - 1];
    if (delayMs === undefined || check.attempt >= checkTriesMax) return await giveUp(check, reason);
    await store.putBack(check, { reason: cut(reason), delayMs: withJitter(delayMs), isCounted: true });
  }

  async function postpone(check: TakenCheck, reason: string): Promise<void> {
    const isFirst = postponed.postpone(check.kind);
    if (isFirst) logger.warn({ kind: check.kind, reason }, "live checks of a kind have to wait");
    await store.putBack(check, { reason: cut(reason), delayMs: 0, isCounted: false });
  }

  const giveUp = (check: TakenCheck, reason: string): Promise<void> =>
    settle(check, { outcome: "given-up", reason: cut(reason) }, nothing);

  return { write, giveUp };
}

/** The kinds of checks that wait because what they need is unavailable. */
export interface PostponedKinds {
  isWaiting(kind: CheckKind): boolean;
  /** Makes a kind wait, longer each time. Returns true if it was not postponed since it last resumed. */
  postpone(kind: CheckKind): boolean;
  resume(kind: CheckKind): void;
}

/** The delay of a kind doubles from the first value to the second. */
export function createPostponedKinds([firstMs, mostMs]: readonly [number, number]): PostponedKinds {
  const kinds = new Map<CheckKind, { untilMs: number; delayMs: number }>();
  const isWaiting = (kind: CheckKind): boolean => (kinds.get(kind)?.untilMs ?? 0) > performance.now();
  return {
    isWaiting,
    postpone(kind) {
      // Checks that were in progress together postpone their kind once.
      if (isWaiting(kind)) return false;
      const last = kinds.get(kind);
      const delayMs = Math.min(mostMs, last === undefined ? firstMs : last.delayMs * 2);
      kinds.set(kind, { untilMs: performance.now() + delayMs, delayMs });
      return last === undefined;
    },
    resume(kind) {
      kinds.delete(kind);
    },
  };
}

/** The ending of a check that is not put back. */
function endingOf(outcome: Exclude<CheckOutcome, { outcome: "retry" | "postponed" }>): Ending {
  if (outcome.outcome === "done") return { outcome: "done", reason: outcome.note ?? null };
  if (outcome.outcome === "timeout") return { outcome: "given-up", reason: cut(outcome.reason) };
  return outcome;
}

const nothing = async (): Promise<void> => {};
const cut = (reason: string): string => reason.slice(0, reasonMaxChars);

/** The reason of a failed try. */
export const describeFailure = (err: unknown): string => cut(err instanceof Error ? err.message : String(err));

/** Adds up to a tenth, so that checks that failed together are not retried together. */
const withJitter = (delayMs: number): number => Math.round(delayMs * (1 + Math.random() / 10));
