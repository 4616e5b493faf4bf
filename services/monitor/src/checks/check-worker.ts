import { randomUUID } from "node:crypto";
import type { Logger } from "@touchstone/service-kit";
import { type Check, type CheckKind, type CheckOutcome, checkTriesMax } from "./check.ts";
import { createOutcomeWriter, createPostponedKinds, describeFailure } from "./check-outcomes.ts";
import type { CheckStore, Ending, TakenCheck } from "./check-store.ts";
import { type HeldCheck, startRenewal } from "./lease-renewal.ts";

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

/** A check in progress. */
interface InHand extends HeldCheck {
  done: Promise<void>;
}

/**
 * Starts a worker. Any number of workers may share the checks: only the holder of a check's lease executes it, and a worker
 * that was killed or paused beyond its lease writes nothing for a check that another took over.
 */
export function startCheckWorker(options: CheckWorkerOptions): CheckWorker {
  const { store, checks, logger, concurrency, timings = workerTimings, onSettled } = options;
  const byKind = new Map(checks.map((check) => [check.kind, check]));
  // Leaves capacity for others while one project's checks are slow.
  const perProject = Math.max(1, Math.ceil(concurrency * 0.75));
  const lease = { ms: timings.leaseMs, backOffMs: timings.retryDelaysMs };
  const postponed = createPostponedKinds(timings.postponeMs);
  const outcomes = createOutcomeWriter({ store, logger, retryDelaysMs: timings.retryDelaysMs, postponed, onSettled });
  const hands = new Map<string, InHand>();
  const listHeld = (): InHand[] => [...hands.values()];
  const renewal = startRenewal({ store, logger, lease, renewMs: timings.renewMs, listHeld });
  const stopping = new AbortController();
  const alarm = createAlarm(timings.pollMs, stopping.signal);
  let servedLast = nobody;
  const ended = run();

  async function run(): Promise<void> {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      alarm.reset();
      try {
        const taken = await take();
        for (const check of taken) begin(check);
        isFailing = false;
        // A full poll may have left due checks; a partial one has not.
        if (taken.length === 0) await alarm.wait();
      } catch (err) {
        if (!isFailing) logger.warn({ err }, "due checks cannot be looked for; trying again");
        isFailing = true;
        alarm.reset();
        await alarm.wait();
      }
    }
  }

  async function take(): Promise<TakenCheck[]> {
    const count = concurrency - hands.size;
    const kinds = [...byKind.keys()].filter((kind) => !postponed.isWaiting(kind));
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
        alarm.ring();
      });
  }

  async function work({ check, abort }: InHand): Promise<void> {
    if (check.attempt > checkTriesMax) return await outcomes.giveUp(check, "no try came to an end");
    const outcome = await carryOut(check, abort.signal);
    if (!abort.signal.aborted) return await outcomes.write(check, outcome);
    if (stopping.signal.aborted) await store.putBack(check, { reason: null, delayMs: 0, isCounted: false });
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

  return {
    wake: alarm.ring,
    async stop() {
      stopping.abort();
      alarm.ring();
      await ended;
      const timeUp = setTimeout(() => {
        for (const { abort } of listHeld()) abort.abort(new Error("the worker is stopping"));
      }, timings.drainMs);
      await Promise.all(listHeld().map(({ done }) => done));
      clearTimeout(timeUp);
      await renewal.stop();
    },
  };
}

/** The waits between polls. A ring during a poll ends the next wait at once; after `stopping` there are no waits. */
function createAlarm(pollMs: number, stopping: AbortSignal) {
  let isRung = false;
  let endWait = (): void => {};
  return {
    reset(): void {
      isRung = false;
    },
    ring(): void {
      isRung = true;
      endWait();
    },
    async wait(): Promise<void> {
      if (isRung || stopping.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
