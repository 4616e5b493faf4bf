import type { Database } from "@touchstone/db";

/** What projects chose about how long their traces are kept. In days; 0 = for ever; null = as the installation does. */
export interface RetentionStore {
  read(projectId: string): Promise<number | null>;
  write(projectId: string, days: number | null): Promise<void>;
}

export function createRetentionStore(database: Database): RetentionStore {
  return {
    async read(projectId) {
      const { rows } = await database.readScoped<{ days: number }>([projectId], {
        name: "retention_read",
        text: "select days from ingest.retention where project_id = $1",
        values: [projectId],
      });
      return rows[0]?.days ?? null;
    },
    async write(projectId, days) {
      const statement =
        days === null
          ? {
              name: "retention_forget",
              text: "delete from ingest.retention where project_id = $1",
              values: [projectId],
            }
          : {
              name: "retention_write",
              text: `
                insert into ingest.retention (project_id, days)
                values ($1, $2)
                on conflict (project_id) do update
                set days = excluded.days`,
              values: [projectId, days],
            };
      await database.scoped([projectId], (transaction) => transaction.query(statement));
    },
  };
}
