import type { storedAmounts } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

export type StoredAmounts = z.infer<typeof storedAmounts>;
export type ReadStoredAmounts = () => Promise<StoredAmounts>;

/** What the database of the traces holds, all projects together: from PostgreSQL's statistics, not by counting. */
export function createStoredAmountsReader(database: Database): ReadStoredAmounts {
  return async () => {
    const { rows } = await database.query<StoredAmounts>({
      name: "stored_amounts",
      // A week that has just begun is averaged over a whole day.
      text: `
        with weeks as (
          select
            to_date(substring(pg_class.relname from '^spans_(\\d{4}w\\d\\d)$'), 'IYYY"w"IW') as start,
            greatest(reltuples, n_live_tup, 0)::float8 as spans
          from pg_inherits
          join pg_class on pg_class.oid = inhrelid
          join pg_stat_all_tables on relid = inhrelid
          where inhparent = 'ingest.spans'::regclass
        ),
        today as (
          select now() at time zone 'UTC' as instant, date_trunc('week', now() at time zone 'UTC') as week_start
        )
        select
          pg_database_size(current_database())::float8 as "databaseBytes",
          (
            select coalesce(sum(pg_total_relation_size(oid)), 0)::float8
            from pg_class
            where relnamespace = 'ingest'::regnamespace and relkind = 'r'
          ) as "ingestBytes",
          coalesce(sum(spans), 0) as spans,
          coalesce(
            max(
              case
                when start = week_start then spans / greatest(extract(epoch from instant - week_start), 86400)
                when start = week_start - interval '7 days' then spans / 604800
              end
            ),
            0
          )::float8 as "spansPerSecond",
          coalesce(sum(spans) filter (where start > week_start - interval '35 days'), 0) as "spansOfFiveWeeks"
        from today
        left join weeks on true`,
    });
    return rows[0] as StoredAmounts;
  };
}
