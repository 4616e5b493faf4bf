import { setTimeout as sleep } from "node:timers/promises";
import { type Bus, type BusError, isBusError } from "@touchstone/bus";
import type { RequestContract } from "@touchstone/contracts";
import type { z } from "zod";

export interface AskingOptions {
  /** The total time, including the wait for an outage to end. */
  timeoutMs: number;
  /** The longest wait for an unavailable service or bus within that time, from when it was found unavailable. */
  outageMs: number;
  signal: AbortSignal;
}

/** The retry interval, within which a restarted service is found again. */
const outagePauseMs = 500;

/**
 * Sends a request over the bus, and waits while the service or the bus is unavailable. Rejects only when `signal` is aborted,
 * with its reason, and on a bug.
 */
export async function askThroughOutages<C extends RequestContract>(
  bus: Bus,
  contract: C,
  request: z.input<C["body"]>,
  { timeoutMs, outageMs, signal }: AskingOptions,
): Promise<{ reply: z.output<C["reply"]> } | { failure: BusError }> {
  const startedMs = performance.now();
  let unavailableSinceMs: number | null = null;
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    try {
      // Whole milliseconds: the bus drops a fractional deadline.
      const leftMs = Math.max(0, Math.floor(timeoutMs - elapsedMs));
      return { reply: await bus.request(contract, request, { timeoutMs: leftMs, signal }) };
    } catch (thrown) {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      if (!isOutage(thrown)) return { failure: thrown };
      const againMs = performance.now() + outagePauseMs;
      unavailableSinceMs ??= performance.now();
      if (againMs - unavailableSinceMs >= outageMs || againMs - startedMs >= timeoutMs) return { failure: thrown };
      await sleep(outagePauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

const isOutage = (error: BusError): boolean => error.kind === "no_responder" || error.kind === "disconnected";
