import { setTimeout as sleep } from "node:timers/promises";
import { type Bus, type BusError, isBusError } from "@touchstone/bus";
import type { RequestContract } from "@touchstone/contracts";
import type { z } from "zod";

export interface AskingOptions {
  /** The whole time, waiting out an outage included. */
  timeoutMs: number;
  /** How long an absent service or bus is waited for within that time. */
  outageMs: number;
  signal: AbortSignal;
}

/** A service that restarts is found again within this. */
const outagePauseMs = 500;

/**
 * Asks over the bus, and waits while whoever answers is not there, or the bus is not. Rejects only when `signal` is
 * aborted, with its reason, and on a bug.
 */
export async function askThroughOutages<C extends RequestContract>(
  bus: Bus,
  contract: C,
  request: z.input<C["body"]>,
  { timeoutMs, outageMs, signal }: AskingOptions,
): Promise<{ reply: z.output<C["reply"]> } | { failure: BusError }> {
  const startedMs = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    try {
      // Whole milliseconds: the bus drops a deadline that is none.
      const leftMs = Math.max(0, Math.floor(timeoutMs - elapsedMs));
      return { reply: await bus.request(contract, request, { timeoutMs: leftMs, signal }) };
    } catch (thrown) {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      const waitedMs = performance.now() - startedMs + outagePauseMs;
      if (!isOutage(thrown) || waitedMs >= Math.min(outageMs, timeoutMs)) return { failure: thrown };
      await sleep(outagePauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

const isOutage = (error: BusError): boolean => error.kind === "no_responder" || error.kind === "disconnected";
