import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { batchRows, deleteExpired, expired } from "./expired-row-store.ts";

/** Removes expired rows. */
export interface ExpirySweeper {
  /** Sweeps at once; returns the number of removed rows. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

const sweepEveryMs = 15 * 60 * 1000;
/** A sweep ends after this many batches; the next one continues. */
const batchesMax = 100;

/**
 * Removes expired sessions, mailed tokens, sign-in states and attempt counters every 15 minutes, by PostgreSQL's clock. Replicas
 * may sweep concurrently: each skips rows that another is deleting.
 */
export function sweepExpired({ database, logger }: { database: Database; logger: Logger }): ExpirySweeper {
  let sweeping: Promise<number> | null = null;
  let stopped = false;

  async function sweep(): Promise<number> {
    let removed = 0;
    for (const rows of expired) {
      for (let batch = 0; batch < batchesMax && !stopped; batch += 1) {
        const rowCount = await deleteExpired(database, rows);
        removed += rowCount;
        if (rowCount < batchRows) break;
      }
    }
    if (removed > 0) logger.info({ removed }, "expired sessions and tokens removed");
    return removed;
  }

  function sweepOnce(): Promise<number> {
    sweeping ??= sweep().finally(() => {
      sweeping = null;
    });
    return sweeping;
  }

  const timer = setInterval(() => {
    sweepOnce().catch((err) => logger.warn({ err }, "expired sessions could not be removed; trying again"));
  }, sweepEveryMs);
  return {
    sweep: sweepOnce,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping?.catch(() => undefined);
    },
  };
}
