import { randomUUID } from "node:crypto";
import type { Logger } from "@touchstone/service-kit";
import { type Check, type CheckKind, type CheckOutcome, checkTriesMax, timeoutTriesMax } from "./check.ts";
import type { CheckStore, Ending, TakenCheck } from "./check-store.ts";

export interface WorkerTimings {
  /** How long a check is a worker's own without a renewal; then another takes it over. */
  leaseMs: number;
  /** How often leases are renewed. Well below `leaseMs`. */
  renewMs: number;
  /** How often due checks are looked for when nobody calls `wake`. */
  pollMs: number;
  /** Pause before each retry, added to the lease where a worker was killed; one fewer than there are tries. */
  retryDelaysMs: readonly number[];
  /** How long a kind waits after it was postponed: doubles from the first to the second. */
  postponeMs: readonly [number, number];
  /** How long a stop waits for what is in hand before it is put back. */
  drainMs: number;
}

const workerTimings: WorkerTimings = {
  leaseMs: 30_000,
  renewMs: 8_000,
  pollMs: 1_000,
  // What fails for half an hour is given up.
  retryDelaysMs: [2_000, 15_000, 120_000, 1_800_000],
  postponeMs: [1_000, 30_000],
  drainMs: 5_000,
};

export interface CheckWorkerOptions {
  store: CheckStore;
  checks: readonly Check[];
  logger: Logger;
  /** Checks in hand at a time. */
  concurrency: number;
  timings?: WorkerTimings;
  /** Told how each check that ended did. */
  onSettled?: (kind: CheckKind, outcome: Ending["outcome"]) => void;
}

/** Carries out checks as they become due. */
export interface CheckWorker {
  /** Says that checks may have become due; they are looked for now instead of at the next poll. */
  wake(): void;
  /** Takes no more checks, waits for those in hand, and puts back what is not done in time. */
  stop(): Promise<void>;
}

const nobody = "00000000-0000-0000-0000-000000000000";
const reasonMaxChars = 500;

/** A check being carried out. */
interface InHand {
  check: TakenCheck;
  /** Aborted when the check is not the worker's own any more, and when the worker stops. */
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Starts a worker. Any number of them may share the checks: each check is one worker's own while its lease lasts, and a
 * worker that is killed, or was paused for longer than that, writes nothing of what another took over.
 */
export function startCheckWorker(options: CheckWorkerOptions): CheckWorker {
  const { store, checks, logger, concurrency, timings = workerTimings, onSettled } = options;
  const byKind = new Map(checks.map((check) => [check.kind, check]));
  const triesMax = checkTriesMax;
  // Leaves room for others while one project's checks are slow.
  const perProject = Math.max(1, Math.ceil(concurrency * 0.75));
  const lease = { ms: timings.leaseMs, backOffMs: timings.retryDelaysMs };
  const hands = new Map<string, InHand>();
  const postponed = new Map<CheckKind, { untilMs: number; delayMs: number }>();
  const stopping = new AbortController();
  let servedLast = nobody;
  let woken = false;
  let endPause = (): void => {};
  let renewing: Promise<void> | null = null;
  const renewal = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = null;
    });
  }, timings.renewMs);
  const ended = run();

  async function run(): Promise<void> {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        const taken = await take();
        for (const check of taken) begin(check);
        isFailing = false;
        // A full look may have left something; one that was not has not.
        if (taken.length === 0) await pause();
      } catch (err) {
        if (!isFailing) logger.warn({ err }, "due checks cannot be looked for; trying again");
        isFailing = true;
        woken = false;
        await pause();
      }
    }
  }

  async function take(): Promise<TakenCheck[]> {
    const count = concurrency - hands.size;
    const kinds = [...byKind.keys()].filter((kind) => (postponed.get(kind)?.untilMs ?? 0) <= performance.now());
    if (count === 0 || kinds.length === 0) return [];
    const inHand = new Map<string, number>();
    for (const { check } of hands.values()) inHand.set(check.projectId, (inHand.get(check.projectId) ?? 0) + 1);
    const taken = await store.take({
      token: randomUUID(),
      count,
      perProject,
      inHand,
      kinds,
      after: servedLast,
      lease,
    });
    servedLast = taken.at(-1)?.projectId ?? nobody;
    return taken;
  }

  function begin(check: TakenCheck): void {
    const abort = new AbortController();
    const hand: InHand = { check, abort, done: Promise.resolve() };
    const key = `${check.id} ${check.token}`;
    hands.set(key, hand);
    hand.done = work(hand)
      .catch((err) => {
        // The lease ends by itself, and the check is taken up again.
        logger.warn({ err, kind: check.kind, checkId: check.id }, "what came of a check could not be written");
      })
      .finally(() => {
        hands.delete(key);
        wake();
      });
  }

  async function work({ check, abort }: InHand): Promise<void> {
    if (check.attempt > triesMax) return await giveUp(check, "no try came to an end");
    const outcome = await carryOut(check, abort.signal);
    if (abort.signal.aborted) {
      if (stopping.signal.aborted) await store.putBack(check, { reason: null, delayMs: 0, isCounted: false });
      return;
    }
    if (outcome.outcome !== "postponed") postponed.delete(check.kind);
    if (outcome.outcome === "retry") return await retry(check, outcome.reason);
    if (outcome.outcome === "postponed") return await postpone(check, outcome.reason);
    if (outcome.outcome === "timeout" && check.attempt < timeoutTriesMax) return await retry(check, outcome.reason);
    try {
      await settle(check, endingOf(outcome), "record" in outcome ? outcome.record : nothing);
    } catch (err) {
      logger.warn({ err, kind: check.kind, checkId: check.id }, "what a check found could not be stored");
      await retry(check, describeFailure(err));
    }
  }

  async function carryOut(check: TakenCheck, signal: AbortSignal): Promise<CheckOutcome> {
    try {
      const kind = byKind.get(check.kind);
      if (kind === undefined) throw new Error(`there is no check of the kind ${check.kind}`);
      return await kind.carryOut(check, signal);
    } catch (err) {
      if (!signal.aborted) logger.warn({ err, kind: check.kind, checkId: check.id }, "a check failed");
      return { outcome: "retry", reason: describeFailure(err) };
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
    const delayMs = timings.retryDelaysMs[check.attempt - 1];
    if (delayMs === undefined || check.attempt >= triesMax) return await giveUp(check, reason);
    await store.putBack(check, { reason: cut(reason), delayMs: withJitter(delayMs), isCounted: true });
  }

  async function postpone(check: TakenCheck, reason: string): Promise<void> {
    const [firstMs, mostMs] = timings.postponeMs;
    const last = postponed.get(check.kind);
    const isNew = last === undefined || last.untilMs <= performance.now();
    if (isNew) {
      const delayMs = Math.min(mostMs, last === undefined ? firstMs : last.delayMs * 2);
      postponed.set(check.kind, { untilMs: performance.now() + delayMs, delayMs });
      if (last === undefined) logger.warn({ kind: check.kind, reason }, "live checks of a kind have to wait");
    }
    await store.putBack(check, { reason: cut(reason), delayMs: 0, isCounted: false });
  }

  const giveUp = (check: TakenCheck, reason: string): Promise<void> =>
    settle(check, { outcome: "given-up", reason: cut(reason) }, nothing);

  async function renew(): Promise<void> {
    const held = [...hands.values()];
    if (held.length === 0) return;
    try {
      const own = await store.renew(
        held.map(({ check }) => check),
        lease,
      );
      for (const { check, abort } of held) {
        if (!own.has(check.id)) abort.abort(new Error("the check was taken over"));
      }
    } catch (err) {
      // The database is away. What is in hand goes on: it is written only if it is still our own.
      logger.warn({ err }, "leases of checks could not be renewed");
    }
  }

  async function pause(): Promise<void> {
    if (woken || stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timings.pollMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function wake(): void {
    woken = true;
    endPause();
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      endPause();
      await ended;
      const timeUp = setTimeout(() => {
        for (const { abort } of hands.values()) abort.abort(new Error("the worker is stopping"));
      }, timings.drainMs);
      await Promise.all([...hands.values()].map(({ done }) => done));
      clearTimeout(timeUp);
      clearInterval(renewal);
      await renewing;
    },
  };
}

/** How a check ends that is not put back. */
function endingOf(outcome: Exclude<CheckOutcome, { outcome: "retry" | "postponed" }>): Ending {
  if (outcome.outcome === "done") return { outcome: "done", reason: outcome.note ?? null };
  if (outcome.outcome === "timeout") return { outcome: "given-up", reason: cut(outcome.reason) };
  return outcome;
}

const nothing = async (): Promise<void> => {};
const cut = (reason: string): string => reason.slice(0, reasonMaxChars);
const describeFailure = (err: unknown): string => cut(err instanceof Error ? err.message : String(err));

/** Up to a tenth more, so that checks that failed together are not tried again together. */
const withJitter = (delayMs: number): number => Math.round(delayMs * (1 + Math.random() / 10));
