import { type Clock, orAborted } from "@touchstone/service-kit";
import type { Sleep } from "./sleep.ts";

/** A call that the breaker admitted. Call exactly one of the three when the call has ended. */
export interface Admission {
  /** The other side answered, with any answer. */
  answered(): void;
  /** The other side did not answer, or reported that it is broken. */
  failed(): void;
  /** The call was aborted here, and is no evidence about the other side. */
  abandoned(): void;
}

/** The circuit is open and the last probe failed too. */
export class CircuitOpenError extends Error {
  override readonly name = "CircuitOpenError";
}

export interface CircuitBreaker {
  /**
   * Registers a call. `admit` admits it immediately while the circuit is closed. While it is open, the call waits for the
   * outcome of the next probe (and may be the probe itself): it is admitted when the probe is answered and rejected with {@link
   * CircuitOpenError} when a probe has failed since the call arrived.
   */
  arrive(): { admit(signal: AbortSignal): Promise<Admission> };
  state(): "closed" | "open";
}

export interface CircuitBreakerOptions {
  clock: Clock;
  sleep: Sleep;
  /** Failures in a row that open the circuit. */
  failuresMax: number;
  /** The time an open circuit makes no calls before one may probe. */
  openMs: number;
}

type ProbeOutcome = "answered" | "failed" | "abandoned";

/**
 * Stops calling a provider that is down, without giving up results that could still be judged: a skipped result is final
 * (completions 5.11), so a call that meets an open circuit waits for exactly one probe.
 */
export function createCircuitBreaker({ clock, sleep, failuresMax, openMs }: CircuitBreakerOptions): CircuitBreaker {
  let failuresInARow = 0;
  let failedProbes = 0;
  let openUntilMs: number | null = null;
  let probe: PromiseWithResolvers<ProbeOutcome> | null = null;

  function answered(): void {
    // Also from a call that began before the circuit opened: any answer closes it.
    failuresInARow = 0;
    openUntilMs = null;
    probe?.resolve("answered");
    probe = null;
  }

  const ordinary: Admission = {
    answered,
    failed: () => {
      failuresInARow += 1;
      // Late failures of calls that began earlier do not prolong an open circuit.
      if (openUntilMs === null && failuresInARow >= failuresMax) openUntilMs = clock.now() + openMs;
    },
    abandoned: () => undefined,
  };

  async function admitProbe(untilMs: number, signal: AbortSignal): Promise<Admission> {
    const own = Promise.withResolvers<ProbeOutcome>();
    probe = own;
    const end = (outcome: ProbeOutcome): void => {
      // Another call's answer may have closed the circuit meanwhile, and ended this probe.
      if (probe === own) probe = null;
      own.resolve(outcome);
    };
    const wake = new AbortController();
    try {
      // No longer than usual, also when the clock was set back.
      const silenceMs = Math.min(openMs, Math.max(0, untilMs - clock.now()));
      const silence = sleep(silenceMs, AbortSignal.any([signal, wake.signal]));
      if ((await Promise.race([silence, own.promise])) === "answered") return ordinary;
    } catch (thrown) {
      end("abandoned");
      throw thrown;
    } finally {
      wake.abort();
    }
    return {
      answered,
      failed: () => {
        if (probe !== own) return ordinary.failed();
        failedProbes += 1;
        openUntilMs = clock.now() + openMs;
        end("failed");
      },
      abandoned: () => end("abandoned"),
    };
  }

  return {
    arrive() {
      const failedProbesBefore = failedProbes;
      return {
        async admit(signal) {
          for (;;) {
            signal.throwIfAborted();
            if (openUntilMs === null) return ordinary;
            if (failedProbes > failedProbesBefore) throw new CircuitOpenError("the last probe failed");
            if (probe === null) return admitProbe(openUntilMs, signal);
            await orAborted(probe.promise, signal);
          }
        },
      };
    },
    state: () => (openUntilMs === null ? "closed" : "open"),
  };
}
