import { Client } from "pg";

/** Makes transactions fail as late as possible: when all their statements have succeeded, and they commit. */
export interface CommitRefusal {
  /**
   * From now on every commit that wrote a row of the schema fails with this SQLSTATE; null = none does. `53100` is a
   * full disk, `P0001` an unexpected error.
   */
  refuse(sqlState: "53100" | "P0001" | null): Promise<void>;
  /** Rows of each table of the schema. */
  countRows(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * `adminUrl` is the superuser's, `schema` one with existing tables. Its outbox is excluded: its rows were committed
 * with other rows, and may be removed at any moment.
 */
export async function openCommitRefusal(adminUrl: string, schema: string): Promise<CommitRefusal> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'outbox'
     order by relname`,
    [schema],
  );
  const tables = rows.map(({ name }) => name);
  await client.query(`
    create schema commit_refusal;
    create table commit_refusal.refused (sql_state text);
    create function commit_refusal.refuse() returns trigger language plpgsql security definer as $$
    declare
      refused text;
    begin
      select sql_state into refused from commit_refusal.refused;
      if refused is not null then
        raise exception 'refused at the commit' using errcode = refused;
      end if;
      return null;
    end $$;
    grant usage on schema commit_refusal to public;`);
  for (const table of tables) {
    await client.query(`
      create constraint trigger commit_refusal after insert or update or delete on ${schema}.${table}
      deferrable initially deferred for each row execute function commit_refusal.refuse()`);
  }
  return {
    async refuse(sqlState) {
      await client.query("delete from commit_refusal.refused");
      if (sqlState !== null) await client.query("insert into commit_refusal.refused values ($1)", [sqlState]);
    },
    async countRows() {
      const counts = tables.map((table) => `(select count(*)::integer from ${schema}.${table}) as ${table}`);
      return (await client.query<Record<string, number>>(`select ${counts.join(", ")}`)).rows[0] ?? {};
    },
    close: () => client.end(),
  };
}
