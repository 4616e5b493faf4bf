import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** The number of concurrent calls. */
  atOnce: number;
  /** Each worker's pause between two calls. Default 0. */
  pauseMs?: number;
  over: AbortSignal;
}

/** Repeats `work`, numbered from 0, until the attack is over. */
export async function untilOver({ atOnce, pauseMs = 0, over }: Pace, work: (number: number) => Promise<unknown>) {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (!over.aborted) {
      const number = next;
      next += 1;
      await work(number);
      // A refused connection fails immediately: without a pause this loop would never yield.
      await sleep(Math.max(1, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/**
 * Starts `work` at this rate until the attack is over, without waiting for earlier calls; resolves when all have ended.
 */
export async function everyMs(paceMs: number, over: AbortSignal, work: (number: number) => Promise<unknown>) {
  const begun: Promise<unknown>[] = [];
  while (!over.aborted) {
    begun.push(work(begun.length));
    await sleep(paceMs, undefined, { signal: over }).catch(() => undefined);
  }
  await Promise.all(begun);
}

const forEachMaxMs = 45_000;

/** Does `work` for each number below `count`; on a slow machine, for as many as time allows. */
export async function forEachOf<Result>(
  count: number,
  atOnce: number,
  work: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const deadline = performance.now() + forEachMaxMs;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count && performance.now() < deadline) {
      const number = next;
      next += 1;
      results[number] = await work(number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return results;
}
