import { type Clock, createFairLimit, type PlaceRequest } from "@touchstone/service-kit";
import type { Sleep } from "./sleep.ts";

/** What a call through an {@link AdaptiveLimit} tells it about the other side's capacity. */
export interface CapacityReport {
  /** The other side took the call. */
  accepted(): void;
  /** The other side wants fewer calls, and none at all before `retryAfterMs` from now has passed (null = any time). */
  rejected(retryAfterMs: number | null): void;
}

/** A fair limit that learns how many calls at once the other side takes. */
export interface AdaptiveLimit {
  run<Result>(request: PlaceRequest, call: (report: CapacityReport) => Promise<Result>): Promise<Result>;
  /** How many calls at once it allows at the moment. */
  places(): number;
  waiting(): number;
}

export interface AdaptiveLimitOptions {
  placesMax: number;
  clock: Clock;
  sleep: Sleep;
}

/**
 * Additive increase, multiplicative decrease: a rejected call halves the places (never below one), and every accepted
 * call gives a fraction of a place back. Calls that were under way when the places were halved do not halve them
 * again: ten rejections of one burst are one piece of news. While the other side has asked for silence, calls keep
 * their place and wait, so nobody overtakes them.
 */
export function createAdaptiveLimit({ placesMax, clock, sleep }: AdaptiveLimitOptions): AdaptiveLimit {
  const limit = createFairLimit({ places: placesMax });
  let allowance = placesMax;
  let silentUntilMs = 0;
  let cuts = 0;

  function resize(newAllowance: number): void {
    allowance = Math.min(placesMax, Math.max(1, newAllowance));
    limit.resize(Math.floor(allowance));
  }

  return {
    run(request, call) {
      return limit.run(request, async () => {
        for (let waitMs = silentUntilMs - clock.now(); waitMs > 0; waitMs = silentUntilMs - clock.now()) {
          await sleep(waitMs, request.signal);
        }
        const cutsAtStart = cuts;
        return call({
          accepted: () => {
            if (allowance < placesMax) resize(allowance + 1 / allowance);
          },
          rejected: (retryAfterMs) => {
            silentUntilMs = Math.max(silentUntilMs, clock.now() + (retryAfterMs ?? 0));
            if (cuts !== cutsAtStart) return;
            cuts += 1;
            resize(allowance / 2);
          },
        });
      });
    },
    places: () => Math.floor(allowance),
    waiting: () => limit.waiting(),
  };
}
