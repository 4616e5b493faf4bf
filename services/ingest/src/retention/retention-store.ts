import type { Database, Statement } from "@touchstone/db";
import type { Act } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";

/** What projects chose about how long their traces are kept. In days; 0 = for ever; null = as the installation does. */
export interface RetentionStore {
  read(projectId: string): Promise<number | null>;
  /** Tells the log of a change. */
  write(projectId: string, days: number | null, act: Act): Promise<void>;
}

export function createRetentionStore(database: Database): RetentionStore {
  return {
    async read(projectId) {
      const { rows } = await database.readScoped<{ days: number }>([projectId], selectDays(projectId));
      return rows[0]?.days ?? null;
    },
    async write(projectId, days, act) {
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
      await database.scoped([projectId], async (transaction) => {
        await transaction.query({
          name: "retention_lock",
          text: "select pg_advisory_xact_lock(hashtextextended('touchstone retention ' || $1, 0))",
          values: [projectId],
        });
        const { rows } = await transaction.query<{ days: number }>(selectDays(projectId));
        const from = rows[0]?.days ?? null;
        if (from === days) return;
        await transaction.query(statement);
        await recordAuditEvent(transaction, act, { action: "retention.changed", details: { from, to: days } });
      });
    },
  };
}

const selectDays = (projectId: string): Statement => ({
  name: "retention_read",
  text: "select days from ingest.retention where project_id = $1",
  values: [projectId],
});

/**
 * How many days a project's traces are kept; null = for ever. `own` is what the project chose: null follows the
 * installation, 0 is for ever.
 */
export function daysInForce(own: number | null, ofInstallation: number | null): number | null {
  return own === 0 ? null : (own ?? ofInstallation);
}
