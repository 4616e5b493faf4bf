import { takeLoopTurn } from "./loop-turns.ts";

/** Pure work with points to pause: it yields between pieces of about a tenth of a millisecond. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** How long work may occupy the event loop before other work gets a turn. */
const sliceMs = 8;

/**
 * Runs sliced work to its end. Short work finishes within the first slice, without a single wait; longer work gives
 * the event loop a turn after each slice, and takes turns with other long work. Rejects with the signal's reason once
 * the signal aborts, if there is one.
 */
export async function runInSlices<Result>(work: Sliced<Result>, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted();
  let sliceEndsAt = performance.now() + sliceMs;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEndsAt) continue;
    await takeLoopTurn();
    signal?.throwIfAborted();
    sliceEndsAt = performance.now() + sliceMs;
  }
}

/** Runs sliced work to its end in one go. */
export function runAtOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
