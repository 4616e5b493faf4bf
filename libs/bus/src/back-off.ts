import { setTimeout as sleep } from "node:timers/promises";

/** Delays that grow with each failure. */
export interface BackOff {
  /** The next delay in milliseconds; each call counts as one more failure. */
  nextMs(): number;
  /** Sleeps for the next delay; an aborted signal ends the sleep early, without an error. */
  wait(signal: AbortSignal): Promise<void>;
  /** Success: resets the delay to the first one. */
  reset(): void;
}

/**
 * Doubles from `firstMs` to at most `mostMs`. Each delay is random between half of that and all of it, so that clients
 * that failed together do not retry together.
 */
export function createBackOff(options: { firstMs: number; mostMs: number }): BackOff {
  let failures = 0;
  const backOff: BackOff = {
    nextMs() {
      const wholeMs = Math.min(options.mostMs, options.firstMs * 2 ** Math.min(failures, 30));
      failures += 1;
      return wholeMs / 2 + Math.random() * (wholeMs / 2);
    },
    async wait(signal) {
      await sleep(backOff.nextMs(), undefined, { signal }).catch(() => {});
    },
    reset() {
      failures = 0;
    },
  };
  return backOff;
}
