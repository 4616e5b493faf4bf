import type { Database } from "@touchstone/db";
import type { Clock, Logger } from "@touchstone/service-kit";
import { attemptsRememberedMs } from "./sign-in-attempts.ts";

/** Removes expired rows. */
export interface ExpirySweeper {
  /** Sweeps at once; returns the number of removed rows. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

const sweepEveryMs = 15 * 60 * 1000;
const batchRows = 1_000;
/** A sweep ends after this many batches; the next one continues. */
const batchesMax = 100;

/** Expired rows, and their expiry times. They are never read again. */
const expired = [
  { name: "sessions", table: "auth.sessions", key: "id", column: "expires_at", agoMs: 0 },
  { name: "verifications", table: "auth.verifications", key: "id", column: "expires_at", agoMs: 0 },
  {
    name: "sign_in_attempts",
    table: "auth.sign_in_attempts",
    key: "address_hash",
    column: "last_at",
    agoMs: attemptsRememberedMs,
  },
] as const;

/**
 * Removes expired sessions, mailed tokens, sign-in states and attempt counters every 15 minutes. Replicas may sweep
 * concurrently: each skips rows that another is deleting.
 */
export function sweepExpired(options: { database: Database; clock: Clock; logger: Logger }): ExpirySweeper {
  const { database, clock, logger } = options;
  let sweeping: Promise<number> | null = null;
  let stopped = false;

  async function sweep(): Promise<number> {
    let removed = 0;
    for (const { name, table, key, column, agoMs } of expired) {
      for (let batch = 0; batch < batchesMax && !stopped; batch += 1) {
        const { rowCount } = await database.query({
          name: `expired_delete_${name}`,
          text: `
            delete from ${table}
            where ${key} in (
              select ${key} from ${table}
              where ${column} < $1
              order by ${column}
              limit $2
              for update skip locked
            )`,
          values: [new Date(clock.now() - agoMs), batchRows],
        });
        removed += rowCount ?? 0;
        if ((rowCount ?? 0) < batchRows) break;
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
