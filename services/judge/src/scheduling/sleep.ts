import { setTimeout as delay } from "node:timers/promises";

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. Injected so that tests can script it. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Sleeps in real time. */
export const sleepInRealTime: Sleep = async (ms, signal) => {
  try {
    await delay(ms, undefined, { signal });
  } catch (thrown) {
    // Node rejects with an AbortError; callers expect the signal's reason.
    signal.throwIfAborted();
    throw thrown;
  }
};
