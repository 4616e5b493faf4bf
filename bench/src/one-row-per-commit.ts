import { randomUUID } from "node:crypto";
import { Client } from "pg";

/**
 * The yardstick of single-trace ingest: the throughput of a straightforward service with the same PostgreSQL, one
 * prepared insert and one commit for each row, a connection for each client, without any HTTP.
 */
export async function oneRowPerCommit(options: {
  databaseUrl: string;
  connections: number;
  text: string;
}): Promise<{ insertOne: (client: number) => Promise<void>; close: () => Promise<void> }> {
  const clients = await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const client = new Client({ connectionString: options.databaseUrl });
      await client.connect();
      return client;
    }),
  );
  const first = clients[0] as Client;
  await first.query("create schema bench");
  await first.query(`
    create table bench.rows (
      id uuid primary key,
      project_id uuid not null,
      created_at timestamptz not null default now(),
      span_id text not null,
      body text not null
    )`);
  await first.query("create index on bench.rows (project_id, id desc)");
  await first.query("create unique index on bench.rows (project_id, span_id)");
  const projectId = randomUUID();
  const body = JSON.stringify({ input: options.text, output: options.text });
  return {
    async insertOne(client) {
      await clients[client]?.query({
        name: "bench_insert",
        text: "insert into bench.rows (id, project_id, span_id, body) values (uuidv7(), $1, $2, $3)",
        values: [projectId, randomUUID(), body],
      });
    },
    async close() {
      await first.query("drop schema bench cascade");
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}
