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
 * Retries an attempt after a temporary failure (completions 7.4). Never waits past the deadline: if the delay does not fit, it
 * rejects with the last failure, which is more useful than a timeout.
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
 * The delay before retry number `retry` (0 is the first): the one that the provider requested; else random between half and all
 * of 0.5 s, 1 s, 2 s and so on, up to 8 s.
 */
function retryDelayMs(failure: ProviderFailure, retry: number, random: number): number {
  if (failure.retryAfterMs !== null) return failure.retryAfterMs;
  return Math.min(delayMaxMs, firstDelayMs * 2 ** retry) * (0.5 + random / 2);
}
