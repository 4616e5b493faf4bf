import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { Client } from "pg";

/** Values for a table's check constraints; all other columns get generated values. */
export type ProjectRowValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The rows of projects in a schema. Its tables are found in the catalogue, not in a list. */
export interface ProjectRows {
  /** Every table with a column `project_id` or `owner_id`, except the one that records deleted projects. */
  tables(): Promise<string[]>;
  /** Inserts rows of a project into every one of these tables. */
  fill(projectId: string, values?: ProjectRowValues): Promise<void>;
  /** Rows of a project by table; empty tables are left out. */
  count(projectId: string): Promise<Record<string, number>>;
  close(): Promise<void>;
}

interface Column {
  table: string;
  column: string;
  type: string;
  needed: boolean;
}

const rowsPerTable = 3;

/**
 * Reads and writes past row-level security and foreign keys: as a superuser, by URL or over a connection that is ended
 * afterwards.
 */
export async function openProjectRows(admin: string | Client, schema: string): Promise<ProjectRows> {
  const client = typeof admin === "string" ? new Client({ connectionString: admin }) : admin;
  if (typeof admin === "string") await client.connect();

  async function readColumns(): Promise<Map<string, Column[]>> {
    const { rows } = await client.query<Column>(
      `select relname as table, attname as column, format_type(atttypid, null) as type,
         attnotnull and not atthasdef and attidentity = '' as needed
       from pg_class
       join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
       where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname <> 'deleted_projects'
       order by relname, attnum`,
      [schema],
    );
    const tables = Map.groupBy(rows, ({ table }) => table);
    for (const [table, columns] of tables) if (ownerOf(columns) === null) tables.delete(table);
    return tables;
  }

  const ownerOf = (columns: readonly Column[]): string | null =>
    columns.find(({ column }) => column === "project_id" || column === "owner_id")?.column ?? null;

  return {
    async tables() {
      return [...(await readColumns()).keys()];
    },
    async fill(projectId, values = {}) {
      await client.query("set session_replication_role = replica");
      for (const [table, columns] of await readColumns()) {
        const owner = ownerOf(columns);
        for (let row = 0; row < rowsPerTable; row += 1) {
          const own = { ...values[table], [owner as string]: projectId };
          const written = columns.filter(({ column, needed }) => needed || column in own);
          const parameters = written.map(({ column, type }) => (column in own ? own[column] : makeUp(type, row)));
          await client.query(
            `insert into ${schema}.${table} (${written.map(({ column }) => column).join(", ")})
             values (${written.map((_column, index) => `$${index + 1}`).join(", ")})
             on conflict do nothing`,
            parameters,
          );
        }
      }
    },
    async count(projectId) {
      const counts: Record<string, number> = {};
      for (const [table, columns] of await readColumns()) {
        const { rows } = await client.query<{ n: number }>(
          `select count(*)::integer as n from ${schema}.${table} where ${ownerOf(columns)} = $1`,
          [projectId],
        );
        if (rows[0]?.n) counts[table] = rows[0].n;
      }
      return counts;
    },
    close: () => client.end(),
  };
}

/** `row` separates days that are part of a key. */
function makeUp(type: string, row: number): unknown {
  if (type.endsWith("[]")) return [];
  switch (type) {
    case "uuid":
      return randomUUID();
    case "json":
    case "jsonb":
      return "{}";
    case "bytea":
      return randomBytes(32);
    case "boolean":
      return false;
    case "date":
      return new Date(Date.UTC(2026, 0, 1 + row));
    case "timestamp with time zone":
      return new Date(Date.UTC(2026, 0, randomInt(1, 31), randomInt(24), randomInt(60), randomInt(60)));
    case "text":
      return randomUUID();
    default:
      // Numbers of any kind.
      return randomInt(1, 10_000);
  }
}
