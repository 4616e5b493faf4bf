import type { Database } from "@touchstone/db";

/** The calls counted against a daily quota, shared by all judges. Days are UTC days of PostgreSQL's clock. */
export interface QuotaStore {
  /** Takes up to `wanted` of today's calls, within `limit`; taking none is not a failure. */
  reserve(payer: string, wanted: number, limit: number): Promise<ReservedCalls>;
  /** Releases a call of that day that was never made. */
  release(payer: string, day: string): Promise<void>;
  /** Calls taken today. */
  readToday(payer: string): Promise<number>;
}

/** The number of calls taken, and their day; null if none. */
export interface ReservedCalls {
  day: string | null;
  calls: number;
}

export function createQuotaStore(database: Database): QuotaStore {
  return {
    async reserve(payer, wanted, limit) {
      const { rows } = await database.query<{ day: string; calls: number }>({
        name: "quota_reserve",
        // One statement: judges that compete for the last call wait for each other at the row, and the second one evaluates the
        // condition again.
        text: `
          insert into judge.quota_days as quota (payer, day, calls)
          values ($1, (now() at time zone 'utc')::date, least($2::bigint, $3::bigint))
          on conflict (payer, day) do update
          set calls = least(quota.calls + $2::bigint, $3::bigint)
          where quota.calls < $3::bigint
          returning new.day::text as day, (new.calls - coalesce(old.calls, 0))::int as calls`,
        values: [payer, wanted, limit],
      });
      return rows[0] ?? { day: null, calls: 0 };
    },

    async release(payer, day) {
      await database.query({
        name: "quota_release",
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
