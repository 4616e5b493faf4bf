import type { Database, Statement } from "@touchstone/db";
import type { Act } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";

/** The retention settings of projects, in days; 0 = unlimited; null = the installation's setting. */
export interface RetentionStore {
  read(projectId: string): Promise<number | null>;
  /** Writes an entry to the audit log. */
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
 * The effective retention of a project in days; null = unlimited. `own` is the project's setting: null inherits the
 * installation's, 0 is unlimited.
 */
export function daysInForce(own: number | null, ofInstallation: number | null): number | null {
  return own === 0 ? null : (own ?? ofInstallation);
}
