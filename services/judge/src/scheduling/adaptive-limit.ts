import { type Clock, createFairLimit, type PlaceRequest } from "@touchstone/service-kit";
import type { Sleep } from "./sleep.ts";

/** A call's report to an {@link AdaptiveLimit} about the capacity of the other side. */
export interface CapacityReport {
  /** The other side accepted the call. */
  accepted(): void;
  /** The other side wants fewer calls, and none at all for `retryAfterMs` from now (null = any time). */
  rejected(retryAfterMs: number | null): void;
}

/** A fair limit that learns how many concurrent calls the other side accepts. */
export interface AdaptiveLimit {
  run<Result>(request: PlaceRequest, call: (report: CapacityReport) => Promise<Result>): Promise<Result>;
  /** The number of concurrent calls allowed now. */
  places(): number;
  waiting(): number;
}

export interface AdaptiveLimitOptions {
  placesMax: number;
  clock: Clock;
  sleep: Sleep;
}

/**
 * Additive increase, multiplicative decrease: a rejected call halves the places (never below one), and every accepted call adds
 * a fraction of a place. Calls that were in progress when the places were halved do not halve them again: ten rejections of one
 * burst count once. While the other side has asked for a pause, calls keep their place and wait, so that none is overtaken.
 */
export function createAdaptiveLimit({ placesMax, clock, sleep }: AdaptiveLimitOptions): AdaptiveLimit {
  const limit = createFairLimit({ places: placesMax });
  let allowance = placesMax;
  let silence: { untilMs: number; lengthMs: number } | null = null;
  let cuts = 0;

  function resize(newAllowance: number): void {
    allowance = Math.min(placesMax, Math.max(1, newAllowance));
    limit.resize(Math.floor(allowance));
  }

  /** At most its whole length, also when the clock was set back. */
  function silentForMs(): number {
    return silence === null ? 0 : Math.min(silence.lengthMs, silence.untilMs - clock.now());
  }

  async function waitForSilenceToEnd(signal: AbortSignal): Promise<void> {
    for (let waitMs = silentForMs(); waitMs > 0; waitMs = silentForMs()) {
      const current = silence;
      await sleep(waitMs, signal);
      // It has passed, whatever the clock says now. A rejection meanwhile may have begun another.
      if (silence === current) silence = null;
    }
  }

  return {
    run(request, call) {
      return limit.run(request, async () => {
        await waitForSilenceToEnd(request.signal);
        const cutsAtStart = cuts;
        return call({
          accepted: () => {
            if (allowance < placesMax) resize(allowance + 1 / allowance);
          },
          rejected: (retryAfterMs) => {
            const lengthMs = retryAfterMs ?? 0;
            if (lengthMs > silentForMs()) silence = { untilMs: clock.now() + lengthMs, lengthMs };
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
