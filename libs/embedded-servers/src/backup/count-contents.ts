import type pg from "pg";

/** What a database holds, to compare a restored one with its backup. */
export interface Contents {
  /** Rows by `schema.table`; null when the count took too long. A partitioned table is one. */
  rows: Record<string, number | null>;
  /** The newest row of what matters most, as the caller's statement returned it; null when there is none. */
  newest: { id: string; at: string } | null;
}

/** A statement that returns at most one row, `id` and `at` as texts, and one that finds the row by its id. */
export interface NewestRow {
  /** The table that the statements read; without it there is no newest row. */
  table: string;
  find: string;
  findById: string;
}

const countDeadlineMs = 300_000;

/** Counts the rows of all tables, one table at a time, so that no snapshot is held for long. */
export async function countContents(client: pg.ClientBase, newestRow: NewestRow): Promise<Contents> {
  const tables = await client.query<{ name: string; sql: string }>(
    `select n.nspname || '.' || c.relname as name, format('%I.%I', n.nspname, c.relname) as sql
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     order by 1`,
  );
  const rows: Contents["rows"] = {};
  await client.query(`set statement_timeout = ${countDeadlineMs}`);
  for (const { name, sql } of tables.rows) {
    rows[name] = await client.query<{ count: string }>(`select count(*) as count from ${sql}`).then(
      (counted) => Number(counted.rows[0]?.count),
      (error: { code?: string }) => {
        // The table was dropped meanwhile (42P01) or the count took too long (57014).
        if (error.code === "42P01" || error.code === "57014") return null;
        throw error;
      },
    );
  }
  const isThere = newestRow.table in rows;
  const newest = isThere ? (await client.query<{ id: string; at: string }>(newestRow.find)).rows[0] : undefined;
  return { rows, newest: newest ?? null };
}

/**
 * What a restored database lacks of its backup, as sentences; none when all is there. Only `keptTables` are compared: others,
 * such as an outbox, are emptied by those who fill them.
 */
export async function findLosses(
  client: pg.ClientBase,
  { newestRow, keptTables }: { newestRow: NewestRow; keptTables: readonly string[] },
  { before, now }: { before: Contents; now: Contents },
): Promise<string[]> {
  const lost: string[] = [];
  for (const table of keptTables) {
    const count = before.rows[table];
    if (count === undefined || count === 0) continue;
    if (!(table in now.rows)) lost.push(`The table ${table} is missing.`);
    else if (now.rows[table] === 0) lost.push(`The table ${table} is empty.`);
  }
  const { newest } = before;
  if (newest !== null && newestRow.table in now.rows) {
    const { rowCount } = await client.query(newestRow.findById, [newest.id]);
    if (rowCount === 0) lost.push(`The newest trace of the backup is missing: ${newest.id}, of ${newest.at}.`);
  }
  return lost;
}
