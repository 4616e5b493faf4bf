import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** How many are under way at a time. */
  atOnce: number;
  /** Pause of each worker between two. Default 0. */
  pauseMs?: number;
  over: AbortSignal;
}

/** Does `work` again and again, numbered from 0, until it is over. */
export async function untilOver({ atOnce, pauseMs = 0, over }: Pace, work: (number: number) => Promise<unknown>) {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (!over.aborted) {
      const number = next;
      next += 1;
      await work(number);
      // A refused connection fails at once: without a pause this loop would never leave the turn.
      await sleep(Math.max(1, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Begins `work` at this pace until it is over, whether or not what came before has ended; resolves when all has. */
export async function everyMs(paceMs: number, over: AbortSignal, work: (number: number) => Promise<unknown>) {
  const begun: Promise<unknown>[] = [];
  while (!over.aborted) {
    begun.push(work(begun.length));
    await sleep(paceMs, undefined, { signal: over }).catch(() => undefined);
  }
  await Promise.all(begun);
}

const forEachMaxMs = 45_000;

/** Does `work` for each number below `count`; on a slow machine for as many as there is time for. */
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
