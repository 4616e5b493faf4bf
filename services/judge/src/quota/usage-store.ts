import type { Database } from "@touchstone/db";

/** Judge calls per project and hour, for the operator's overview and the usage of projects. */
export interface UsageStore {
  /** Adds calls to the current hour of PostgreSQL's clock; those of deleted projects are not kept. */
  addCalls(calls: readonly { projectId: string; calls: number }[]): Promise<void>;
  /** Calls in the current hour and the 23 before it, for projects that made any. */
  readRecentCalls(projectIds: readonly string[]): Promise<{ projectId: string; calls: number }[]>;
  /** All calls in the hours of the current UTC day; null = of every project. */
  readTodaysCalls(projectIds: readonly string[] | null): Promise<number>;
}

export function createUsageStore(database: Database): UsageStore {
  return {
    async addCalls(calls) {
      await database.query({
        name: "usage_add_calls",
        // In the order of the key, so that judges that write at the same time cannot deadlock.
        text: `
          insert into judge.usage as usage (project_id, hour, judge_calls)
          select project_id, date_trunc('hour', now(), 'UTC'), calls
          from unnest($1::uuid[], $2::bigint[]) as added (project_id, calls)
          where not exists (
            select from judge.deleted_projects where deleted_projects.project_id = added.project_id
          )
          order by project_id
          on conflict (project_id, hour) do update
          set judge_calls = usage.judge_calls + excluded.judge_calls`,
        values: [calls.map(({ projectId }) => projectId), calls.map((row) => row.calls)],
      });
    },

    async readRecentCalls(projectIds) {
      const { rows } = await database.query<{ project_id: string; calls: string }>({
        name: "usage_read_recent",
        text: `
          select project_id, sum(judge_calls) as calls
          from judge.usage
          where project_id = any($1::uuid[]) and hour >= date_trunc('hour', now(), 'UTC') - interval '23 hours'
          group by project_id`,
        values: [projectIds],
      });
      return rows.map((row) => ({ projectId: row.project_id, calls: Number(row.calls) }));
    },

    async readTodaysCalls(projectIds) {
      const { rows } = await database.query<{ calls: string }>({
        name: "usage_read_today",
        text: `
          select coalesce(sum(judge_calls), 0) as calls
          from judge.usage
          where hour >= date_trunc('day', now(), 'UTC')
            and ($1::uuid[] is null or project_id = any($1))`,
        values: [projectIds],
      });
      return Number(rows[0]?.calls ?? 0);
    },
  };
}
