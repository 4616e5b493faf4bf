import { randomUUID } from "node:crypto";
import { Client, type Connection, Query } from "pg";

/**
 * The yardstick of OTLP ingest: rows of the same size into a table with three indexes, as fast as PostgreSQL accepts
 * them, by COPY over one connection, in portions of the size of the exports.
 */
export async function copiedRows(options: {
  databaseUrl: string;
  rowsPerCopy: number;
  text: string;
}): Promise<{ copyRows: () => Promise<void>; close: () => Promise<void> }> {
  const client = new Client({ connectionString: options.databaseUrl });
  await client.connect();
  await client.query(`
    create schema bench_copy;
    create table bench_copy.rows (
      id uuid not null,
      project_id uuid not null,
      created_at timestamptz not null default now(),
      span_id text not null,
      body text not null
    );
    create unique index on bench_copy.rows (id);
    create index on bench_copy.rows (project_id, id desc);
    create unique index on bench_copy.rows (project_id, span_id)`);
  const projectId = randomUUID();
  const body = JSON.stringify({ input: options.text, output: options.text });
  return {
    async copyRows() {
      let rows = "";
      for (let row = 0; row < options.rowsPerCopy; row += 1) {
        const id = randomUUID();
        rows += `${id}\t${projectId}\t${id}\t${body}\n`;
      }
      await copyInto(client, "copy bench_copy.rows (id, project_id, span_id, body) from stdin", Buffer.from(rows));
    },
    async close() {
      await client.query("drop schema bench_copy cascade");
      await client.end();
    },
  };
}

/** The part of a `pg` connection that COPY uses. */
type CopyConnection = Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };

function copyInto(client: Client, text: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new Query(text, (error) => (error === undefined || error === null ? resolve() : reject(error)));
    Object.assign(query, {
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(rows);
        connection.endCopyFrom();
      },
    });
    client.query(query);
  });
}
