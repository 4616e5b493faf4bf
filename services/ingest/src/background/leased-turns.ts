import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { createLease } from "./lease.ts";

/** Background work in turns. */
export interface LeasedTurns {
  /** Finishes the current turn, then releases the lease. */
  stop(): Promise<void>;
}

export interface LeasedTurnsOptions {
  /** Under the maintenance role. */
  database: Database;
  /** Name of the lease. */
  name: string;
  /** Default: as of {@link createLease}. Rare turns need no quick successor, and so fewer renewals. */
  lifetimeMs?: number;
  /** From acquiring the lease to the first turn. */
  firstMs: number;
  /** From a failed turn to the next. */
  retryMs: number;
  /** Log message for a failed turn. */
  failure: string;
  logger: Logger;
  /**
   * Runs one turn; returns the delay until the next in milliseconds. A long turn polls `mayGoOn` and stops when it is
   * false.
   */
  takeTurn(mayGoOn: () => boolean): Promise<number>;
}

/** Runs background work in turns, on the one replica that holds the lease. */
export function takeLeasedTurns(options: LeasedTurnsOptions): LeasedTurns {
  const { database, name, lifetimeMs, firstMs, retryMs, failure, logger, takeTurn } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let turn: Promise<void> = Promise.resolve();
  const lease = createLease({ database, name, lifetimeMs, logger, onAcquired: () => schedule(firstMs) });
  const mayGoOn = (): boolean => !stopped && lease.isHeld();

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      turn = run();
    }, delayMs).unref();
  }

  async function run(): Promise<void> {
    // Another replica has the lease; acquiring it again schedules the next turn.
    if (!mayGoOn()) return;
    try {
      schedule(await takeTurn(mayGoOn));
    } catch (err) {
      logger.warn({ err }, failure);
      schedule(retryMs);
    }
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      await lease.stop();
    },
  };
}
