import type { Clock } from "@touchstone/service-kit";

/** A clock that tests control: it does not move by itself. */
export interface ScriptedClock extends Clock {
  /** Resolves once the clock has advanced by `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Advances the time and wakes every sleeper that is due, in order, each at its own instant. */
  advance(ms: number): Promise<void>;
  /** The number of sleepers. */
  sleepers(): number;
  /** Resolves once at least `count` are asleep. */
  waitForSleepers(count: number): Promise<void>;
  /** The requested duration of each sleep, in order. */
  readonly sleeps: readonly number[];
}

interface Sleeper {
  wakeAtMs: number;
  wake(): void;
}

/** A clock that starts at the given instant, by default at the start of 2026. */
export function createScriptedClock(startMs: number = Date.UTC(2026, 0, 1)): ScriptedClock {
  let nowMs = startMs;
  let asleep: Sleeper[] = [];
  const sleeps: number[] = [];

  return {
    now: () => nowMs,
    sleeps,
    sleepers: () => asleep.length,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      sleeps.push(ms);
      if (ms <= 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          asleep = asleep.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          wakeAtMs: nowMs + ms,
          wake: () => {
            signal?.removeEventListener("abort", abort);
            resolve();
          },
        };
        signal?.addEventListener("abort", abort, { once: true });
        asleep.push(sleeper);
      });
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        const next = asleep.toSorted((left, right) => left.wakeAtMs - right.wakeAtMs)[0];
        if (next === undefined || next.wakeAtMs > untilMs) break;
        asleep = asleep.filter((other) => other !== next);
        nowMs = Math.max(nowMs, next.wakeAtMs);
        next.wake();
        await turn();
      }
      nowMs = untilMs;
      await turn();
    },
    async waitForSleepers(count) {
      while (asleep.length < count) await turn();
    },
  };
}

/** One turn of the event loop: runs everything that is ready. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
