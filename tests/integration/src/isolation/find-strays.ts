import { Client } from "pg";
import { findCanaries, strangersIn, type Tenant } from "./tenant.ts";

/**
 * Bus messages with a text of another project than the one they name. One event may cover several projects: then each
 * of its parts that names a project is checked separately.
 */
export function findStrayMessages(tenants: readonly Tenant[], messages: readonly string[]): string[] {
  const strays: string[] = [];
  const look = (part: unknown): boolean => {
    if (typeof part !== "object" || part === null) return false;
    const { projectId } = part as { projectId?: unknown };
    const tenant = tenants.find((one) => one.projectId === projectId);
    if (tenant === undefined) return Object.values(part).map(look).includes(true);
    strays.push(...strangersIn(tenant, JSON.stringify(part)).map((canary) => `${tenant.name}'s part holds ${canary}`));
    return true;
  };
  for (const message of messages) {
    const isOfSeveral = findCanaries(message).length > 1;
    const body = message.slice(message.indexOf("{"));
    let names = false;
    try {
      names = look(JSON.parse(body));
    } catch {
      // Not JSON: an acknowledgement, or a chunk of one.
    }
    if (isOfSeveral && !names) strays.push(`nothing in it tells whose text is whose: ${message}`);
  }
  return strays;
}

/** Rows with a text of another project, in all tables that have a project column. */
export async function findStrayRows(tenants: readonly Tenant[], adminUrl: string): Promise<string[]> {
  const database = new Client({ connectionString: adminUrl });
  await database.connect();
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `select attrelid::regclass::text as name
       from pg_attribute
       join pg_class on pg_class.oid = attrelid
       where attname = 'project_id' and relkind in ('r', 'p') and not relispartition and relpersistence = 'p'`,
    );
    const stray: string[] = [];
    for (const { name } of tables) {
      for (const { projectId, canary } of tenants) {
        const { rows } = await database.query<{ n: string }>(
          `select count(*) as n from ${name} kept where project_id <> $1 and kept::text ilike $2`,
          [projectId, `%${canary}%`],
        );
        if (rows[0]?.n !== "0") stray.push(`${name} has ${rows[0]?.n} rows with a text of another project`);
      }
    }
    return stray;
  } finally {
    await database.end();
  }
}
