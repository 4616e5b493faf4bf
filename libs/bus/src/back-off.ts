import { setTimeout as sleep } from "node:timers/promises";

/** Delays that grow from one failure to the next. */
export interface BackOff {
  /** The next delay in milliseconds; each call counts as one more failure. */
  nextMs(): number;
  /** Sleeps for the next delay; an aborted signal ends the sleep early, without an error. */
  wait(signal: AbortSignal): Promise<void>;
  /** Success: the next delay is the first one again. */
  reset(): void;
}

/**
 * Doubles from `firstMs` to at most `mostMs`. Each delay is drawn between half and the whole of that, so that many
 * that failed together do not return together.
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
