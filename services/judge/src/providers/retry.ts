import type { Clock } from "@touchstone/service-kit";
import type { Sleep } from "../scheduling/sleep.ts";
import { isPassing, ProviderFailure } from "./provider-failure.ts";

export interface RetryOptions {
  retriesMax: number;
  clock: Clock;
  sleep: Sleep;
  /** 0 to 1, for the jitter. */
  random: () => number;
  signal: AbortSignal;
  deadlineAtMs: number;
}

const firstDelayMs = 500;
const delayMaxMs = 8_000;

/**
 * Repeats an attempt that failed for a passing reason (completions 7.4). It never waits past the deadline: when the
 * wait does not fit, the failure at hand is the answer, since it says more than a timeout would.
 */
export async function withRetries<Result>(attempt: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!(thrown instanceof ProviderFailure) || !isPassing(thrown) || retry >= options.retriesMax) throw thrown;
      const delayMs = retryDelayMs(thrown, retry, options.random());
      if (options.clock.now() + delayMs >= options.deadlineAtMs) throw thrown;
      await options.sleep(delayMs, options.signal);
    }
  }
}

/**
 * How long to wait before retry number `retry` (0 is the first): what the provider asked for; else a random time
 * between half of and the whole of 0.5 s, 1 s, 2 s and so on, up to 8 s.
 */
function retryDelayMs(failure: ProviderFailure, retry: number, random: number): number {
  if (failure.retryAfterMs !== null) return failure.retryAfterMs;
  return Math.min(delayMaxMs, firstDelayMs * 2 ** retry) * (0.5 + random / 2);
}
