import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Database, openDatabase, type Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "./ingest-database.ts";
import { startIngest, until, useIngest } from "./running-ingest.ts";

/** An export of 60 MB, in a dozen pages or more, whose lines hardly compress. */
const linesCount = 600;
const inputBytes = 75_000;
const exportBytes = linesCount * 100_000;

const ndjson = { "content-type": "application/x-ndjson" };

const { database, ingest } = useIngest();
let superuser: Database;
const projectId = uuidv7(Date.now());

beforeAll(async () => {
  superuser = openDatabase({
    url: database.adminUrl,
    role: new URL(database.adminUrl).username,
    applicationName: "test",
    connectionsMax: 3,
    statementTimeoutMs: 20_000,
    logger: silentLogger,
  });
  for (let line = 0; line < linesCount; line += 1) {
    const body = `{"name":"large","input":"${randomBytes(inputBytes).toString("base64")}"}`;
    const { status } = await ingest.call(projectId, "POST", "/api/v1/import/traces", { body, headers: ndjson });
    expect(status).toBe(200);
  }
});

afterAll(async () => {
  await superuser.close();
});

/** Bytes of live buffers: dropped buffers that are not collected yet would hide the retained ones. */
async function heldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let held = Number.POSITIVE_INFINITY;
  for (;;) {
    collect();
    await nextTurn();
    const { arrayBuffers } = process.memoryUsage();
    if (arrayBuffers >= held) return arrayBuffers;
    held = arrayBuffers;
  }
}

async function beginExport() {
  const answer = await ingest.open(projectId, "GET", "/api/v1/export/traces");
  expect(answer.status).toBe(200);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  return { reader, firstBytes: first.value?.length ?? 0 };
}

/** Transactions of the service that are open at this moment, and its statements that wait for a lock. */
async function sessions(): Promise<{ open: number; blocked: number }> {
  const { rows } = await superuser.query<{ open: number; blocked: number }>({
    name: "sessions",
    text: `
      select
        count(*) filter (where xact_start is not null and query like '%ingest.spans%')::integer as open,
        count(*) filter (where wait_event_type = 'Lock')::integer as blocked
      from pg_stat_activity
      where application_name = 'touchstone ingest' and datname = current_database()`,
  });
  return rows[0] ?? { open: -1, blocked: -1 };
}

/** Runs `work` while spans are locked, and ends the session that tried to read them. */
async function whileSessionsEnd<Result>(work: () => Promise<Result>): Promise<Result> {
  return superuser.transaction(async (transaction: Queryable) => {
    await transaction.query({ name: "lock", text: "lock table ingest.spans in access exclusive mode" });
    const result = work();
    result.catch(() => {});
    await until(async () => (await sessions()).blocked > 0);
    await superuser.query({
      name: "terminate",
      text: `
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where application_name = 'touchstone ingest' and datname = current_database() and wait_event_type = 'Lock'`,
    });
    return result;
  });
}

test("a reader that stops reading keeps neither memory nor a transaction, and gets all of it in the end", async () => {
  const before = await heldBytes();
  const { reader, firstBytes } = await beginExport();
  // The service is busy all the time, and would have read ahead if it did.
  for (let round = 0; round < 30; round += 1) await ingest.submit(projectId, { name: "meanwhile", span_kind: "tool" });

  await until(async () => (await sessions()).open === 0);
  // A page, and what two sockets and their kernel take; not the export.
  expect((await heldBytes()) - before).toBeLessThan(exportBytes / 2);

  let bytes = firstBytes;
  let lineEnds = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    for (const byte of part.value) if (byte === 0x0a) lineEnds += 1;
  }
  expect(bytes).toBeGreaterThan(exportBytes);
  expect(lineEnds).toBeGreaterThanOrEqual(linesCount);
});

test("a database session that is ended in the middle of an export breaks it off visibly", async () => {
  const { reader } = await beginExport();
  const rest = whileSessionsEnd(async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read());
  });

  await expect(rest).rejects.toThrow("terminated");
  expect((await ingest.call(projectId, "GET", "/api/v1/export/traces?since=2100-01-01")).status).toBe(200);
});

test("one that is ended before the first line makes it a retryable refusal", async () => {
  const reply = await whileSessionsEnd(() => ingest.call(projectId, "GET", "/api/v1/export/traces"));
  expect([reply.status, reply.json, reply.headers.get("retry-after")]).toEqual([
    503,
    { statusCode: 503, message: "Trace storage is unavailable; retry." },
    "5",
  ]);
});

test("a reader that disconnects ends its export, and the service can stop at once", async () => {
  const other = await startIngest({ databaseUrl: database.url });
  await other.ready();
  const leaving = new AbortController();
  const answer = await other.open(projectId, "GET", "/api/v1/export/traces", { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();

  await other.stop();
  expect((await sessions()).open).toBe(0);
});

test("an import that loses its database reports its progress and is safe to send again", async () => {
  const copy = uuidv7(Date.now());
  const body = Array.from({ length: 10 }, (_, index) => `{"name":"x","spanId":"s${index}"}`).join("\n");
  const send = () => ingest.call(copy, "POST", "/api/v1/import/traces", { body, headers: ndjson });

  const reply = await whileSessionsEnd(send);
  expect([reply.status, reply.headers.get("retry-after"), reply.json]).toEqual([
    503,
    "2",
    { error: expect.stringContaining("unavailable"), stored: 0, replayed: 0, rejected: 0, reasons: [] },
  ]);
  expect((await send()).json).toMatchObject({ stored: 10, replayed: 0 });
  expect((await send()).json).toMatchObject({ stored: 0, replayed: 10 });
});
