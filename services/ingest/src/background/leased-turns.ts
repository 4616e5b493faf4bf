import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { createLease } from "./lease.ts";

/** Background work, turn after turn. */
export interface LeasedTurns {
  /** Ends the turn in hand, then gives the lease up. */
  stop(): Promise<void>;
}

export interface LeasedTurnsOptions {
  /** Under the maintenance role. */
  database: Database;
  /** Of the lease. */
  name: string;
  /** From getting the lease to the first turn. */
  firstMs: number;
  /** From a turn that failed to the next. */
  retryMs: number;
  /** What the log says of a turn that failed. */
  failure: string;
  logger: Logger;
  /** One turn; answers how long to wait for the next. A long one asks `mayGoOn` and stops when it may not. */
  takeTurn(mayGoOn: () => boolean): Promise<number>;
}

/** Takes turns at background work; of several replicas only the one that holds the lease does. */
export function takeLeasedTurns(options: LeasedTurnsOptions): LeasedTurns {
  const { database, name, firstMs, retryMs, failure, logger, takeTurn } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let turn: Promise<void> = Promise.resolve();
  const lease = createLease({ database, name, logger, onAcquired: () => schedule(firstMs) });
  const mayGoOn = (): boolean => !stopped && lease.isHeld();

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      turn = run();
    }, delayMs).unref();
  }

  async function run(): Promise<void> {
    // Another replica has the lease; getting it back schedules the next turn.
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
