import type { Database, Queryable } from "@touchstone/db";

/**
 * Runs `work` in a transaction that the live tail does not wait for: it may take seconds, and stores no new text. Uses
 * two connections.
 */
export async function asBuilder(building: Database, work: (transaction: Queryable) => Promise<unknown>): Promise<void> {
  let xid: string | null = null;
  try {
    await building.transaction(async (transaction) => {
      const { rows } = await transaction.query<{ xid: string }>({
        name: "search_builder_xid",
        text: "select pg_current_xact_id() as xid",
      });
      xid = rows[0]?.xid ?? null;
      // Must be visible to others at once, hence outside this transaction.
      await building.query({
        name: "search_builder_begin",
        text: "insert into ingest.search_builders (xid) values ($1)",
        values: [xid],
      });
      await work(transaction);
    });
  } finally {
    // Includes entries of builders that died.
    await building
      .query({
        name: "search_builder_end",
        text: `
          delete from ingest.search_builders
          where xid = $1 or xid < pg_snapshot_xmin(pg_current_snapshot())`,
        values: [xid],
      })
      .catch(() => undefined);
  }
}
