import type { Database } from "@touchstone/db";
import { idBefore } from "../model/ids.ts";

/** The traces of projects on the current UTC day, by PostgreSQL's clock. */
export interface DayUsage {
  /** `YYYY-MM-DD`. */
  day: string;
  /** The start of the next day. */
  resetsAt: Date;
  /** Until then, on PostgreSQL's clock. */
  remainingMs: number;
  /** Stored root traces by project; one entry for each requested project. */
  traces: ReadonlyMap<string, number>;
}

interface UsageRecord {
  project_id: string;
  day: string;
  resets_at: Date;
  remaining_ms: number;
  used: string;
}

export interface UsageStore {
  /** Requires at least one project. */
  readToday(projectIds: readonly string[]): Promise<DayUsage>;
  /** Root traces by their own time, by project; projects without any are left out. `sinceMs` is epoch milliseconds. */
  countRootsSince(projectIds: readonly string[], sinceMs: number): Promise<Map<string, number>>;
}

export function createUsageStore(database: Database): UsageStore {
  return {
    async readToday(projectIds) {
      const { rows } = await database.readScoped<UsageRecord>(projectIds, {
        // One row for each project, used or not. now() is one instant for the whole statement.
        name: "trace_usage_today",
        text: `
            select
              wanted.project_id, to_char(today.day, 'YYYY-MM-DD') as day, today.resets_at,
              (extract(epoch from today.resets_at - now()) * 1000)::float8 as remaining_ms,
              coalesce(sum(usage.n), 0) as used
            from unnest($1::uuid[]) as wanted (project_id)
            cross join (
              select
                (now() at time zone 'UTC')::date as day,
                ((now() at time zone 'UTC')::date + 1)::timestamp at time zone 'UTC' as resets_at
            ) today
            left join ingest.trace_usage usage on usage.project_id = wanted.project_id and usage.day = today.day
            group by wanted.project_id, today.day, today.resets_at`,
        values: [projectIds],
      });
      const [first] = rows;
      if (first === undefined) throw new Error("the usage of no project was asked for");
      return {
        day: first.day,
        resetsAt: first.resets_at,
        remainingMs: first.remaining_ms,
        traces: new Map(rows.map((row) => [row.project_id, Number(row.used)])),
      };
    },

    async countRootsSince(projectIds, sinceMs) {
      const { rows } = await database.readScoped<{ project_id: string; roots: string }>(projectIds, {
        // A range of the trace list's index for each project.
        name: "roots_count_since",
        text: `
          select project_id, count(*) as roots
          from ingest.spans
          where project_id = any($1::uuid[]) and is_root and id > $2
          group by project_id`,
        values: [projectIds, idBefore(sinceMs)],
      });
      return new Map(rows.map((row) => [row.project_id, Number(row.roots)]));
    },
  };
}
