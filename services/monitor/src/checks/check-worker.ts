import { randomUUID } from "node:crypto";
import type { Logger } from "@touchstone/service-kit";
import { type Check, type CheckKind, type CheckOutcome, checkTriesMax, timeoutTriesMax } from "./check.ts";
import type { CheckStore, Ending, TakenCheck } from "./check-store.ts";

export interface WorkerTimings {
  /** The lease of a check without a renewal; then another worker takes it over. */
  leaseMs: number;
  /** The interval between renewals. Well below `leaseMs`. */
  renewMs: number;
  /** The interval between polls for due checks without a call of `wake`. */
  pollMs: number;
  /** The delay before each retry, also added to the lease of a killed worker; one fewer than there are tries. */
  retryDelaysMs: readonly number[];
  /** The delay of a kind after it was postponed: doubles from the first value to the second. */
  postponeMs: readonly [number, number];
  /** The longest wait of a stop for checks in progress before they are put back. */
  drainMs: number;
}

const workerTimings: WorkerTimings = {
  leaseMs: 30_000,
  renewMs: 8_000,
  pollMs: 1_000,
  // A check that fails for half an hour is given up.
  retryDelaysMs: [2_000, 15_000, 120_000, 1_800_000],
  postponeMs: [1_000, 30_000],
  drainMs: 5_000,
};

export interface CheckWorkerOptions {
  store: CheckStore;
  checks: readonly Check[];
  logger: Logger;
  /** Concurrent checks. */
  concurrency: number;
  timings?: WorkerTimings;
  /** Called with the outcome of each ended check. */
  onSettled?: (kind: CheckKind, outcome: Ending["outcome"]) => void;
}

/** Executes checks as they become due. */
export interface CheckWorker {
  /** Signals that checks may have become due; polls now. */
  wake(): void;
  /** Takes no more checks, waits for those in progress, and puts back unfinished ones. */
  stop(): Promise<void>;
}

const nobody = "00000000-0000-0000-0000-000000000000";
const reasonMaxChars = 500;

/** A check in progress. */
interface InHand {
  check: TakenCheck;
  /** Aborted when the worker loses the lease, and when it stops. */
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Starts a worker. Any number of workers may share the checks: only the holder of a check's lease executes it, and a worker
 * that was killed or paused beyond its lease writes nothing for a check that another took over.
 */
export function startCheckWorker(options: CheckWorkerOptions): CheckWorker {
  const { store, checks, logger, concurrency, timings = workerTimings, onSettled } = options;
  const byKind = new Map(checks.map((check) => [check.kind, check]));
  const triesMax = checkTriesMax;
  // Leaves capacity for others while one project's checks are slow.
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
        // A full poll may have left due checks; a partial one has not.
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
        // The lease expires, and the check is taken again.
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
      // The database is unavailable. Checks in progress continue: their outcome is written only if the lease is still held.
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

/** The ending of a check that is not put back. */
function endingOf(outcome: Exclude<CheckOutcome, { outcome: "retry" | "postponed" }>): Ending {
  if (outcome.outcome === "done") return { outcome: "done", reason: outcome.note ?? null };
  if (outcome.outcome === "timeout") return { outcome: "given-up", reason: cut(outcome.reason) };
  return outcome;
}

const nothing = async (): Promise<void> => {};
const cut = (reason: string): string => reason.slice(0, reasonMaxChars);
const describeFailure = (err: unknown): string => cut(err instanceof Error ? err.message : String(err));

/** Adds up to a tenth, so that checks that failed together are not retried together. */
const withJitter = (delayMs: number): number => Math.round(delayMs * (1 + Math.random() / 10));
