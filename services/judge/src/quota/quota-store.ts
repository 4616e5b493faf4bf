import type { Database } from "@touchstone/db";

/** The calls counted against a daily quota, shared by all judges. Days are those of PostgreSQL's clock in UTC. */
export interface QuotaStore {
  /** Takes one call of today's and answers the day, or null when `limit` calls are taken already. */
  reserve(payer: string, limit: number): Promise<string | null>;
  /** Gives back a call of that day that was never made. */
  giveBack(payer: string, day: string): Promise<void>;
  /** Calls taken today. */
  readToday(payer: string): Promise<number>;
}

export function createQuotaStore(database: Database): QuotaStore {
  return {
    async reserve(payer, limit) {
      const { rows } = await database.query<{ day: string }>({
        name: "quota_reserve",
        // One statement: judges that race for the last call wait for each other at the row, and the condition is looked
        // at again by the one that comes second.
        text: `
          insert into judge.quota_days as quota (payer, day, calls)
          values ($1, (now() at time zone 'utc')::date, 1)
          on conflict (payer, day) do update
          set calls = quota.calls + 1
          where quota.calls < $2
          returning quota.day::text as day`,
        values: [payer, limit],
      });
      return rows[0]?.day ?? null;
    },

    async giveBack(payer, day) {
      await database.query({
        name: "quota_give_back",
        text: `
          update judge.quota_days
          set calls = calls - 1
          where payer = $1 and day = $2::date and calls > 0`,
        values: [payer, day],
      });
    },

    async readToday(payer) {
      const { rows } = await database.query<{ calls: string }>({
        name: "quota_read_today",
        text: `
          select calls
          from judge.quota_days
          where payer = $1 and day = (now() at time zone 'utc')::date`,
        values: [payer],
      });
      return Number(rows[0]?.calls ?? 0);
    },
  };
}
