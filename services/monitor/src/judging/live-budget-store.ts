import type { Database } from "@touchstone/db";

export const budgetExhausted = "Online judge budget exhausted";

/** Judge calls reserved from a day's budget. */
export interface Reservation {
  projectId: string;
  /** The UTC day they count for, by PostgreSQL's clock. */
  day: string;
  calls: number;
}

/** The live judge calls of a project and UTC day (completions 1.4): exact across replicas. */
export interface LiveBudget {
  /** Reserves calls before they are made, all or none; null: the day's remaining budget is too small. */
  reserve(projectId: string, calls: number): Promise<Reservation | null>;
  /** Releases unused calls: they were not made. */
  release(reservation: Reservation, calls: number): Promise<void>;
  /** Calls reserved today and not released. */
  readToday(projectId: string): Promise<number>;
}

export function createLiveBudget({
  database,
  callsPerDay,
}: {
  database: Database;
  /** Null: unlimited; usage is counted in any case. */
  callsPerDay: number | null;
}): LiveBudget {
  return {
    async reserve(projectId, calls) {
      return database.scoped([projectId], async (transaction) => {
        const [{ rows }] = await transaction.finish<[{ day: string }]>([
          {
            // The row is locked while the condition is evaluated: replicas reserve one after the other.
            name: "live_calls_reserve",
            text: `
              insert into monitor.live_calls as reserved (project_id, day, used)
              select $1, (now() at time zone 'UTC')::date, $2
              where $2 <= coalesce($3::bigint, $2)
              on conflict (project_id, day) do update
              set used = reserved.used + excluded.used
              where reserved.used + excluded.used <= coalesce($3::bigint, reserved.used + excluded.used)
              returning day::text`,
            values: [projectId, calls, callsPerDay],
          },
        ]);
        const [row] = rows;
        return row === undefined ? null : { projectId, day: row.day, calls };
      });
    },

    async release({ projectId, day }, calls) {
      if (calls === 0) return;
      await database.scoped([projectId], async (transaction) => {
        await transaction.finish([
          {
            name: "live_calls_release",
            text: `
              update monitor.live_calls
              set used = greatest(0, used - $3)
              where project_id = $1
                and day = $2::date`,
            values: [projectId, day, calls],
          },
        ]);
      });
    },

    async readToday(projectId) {
      const { rows } = await database.readScoped<{ used: string }>([projectId], {
        name: "live_calls_read",
        text: `
          select used
          from monitor.live_calls
          where project_id = $1
            and day = (now() at time zone 'UTC')::date`,
        values: [projectId],
      });
      return Number(rows[0]?.used ?? 0);
    },
  };
}
