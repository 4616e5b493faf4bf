import { connect, createServer, type Server, type Socket } from "node:net";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase, type Statement } from "../src/index.ts";

const statementTimeoutMs = 300;

let server: TestDatabase;
let wire: Wire;
let database: Database;

beforeEach(async () => {
  server = await createTestDatabase();
  const admin = new Client({ connectionString: server.adminUrl });
  await admin.connect();
  await admin.query(`
    create table notes (id integer primary key, project_id text not null);
    alter table notes enable row level security;
    create policy scope on notes using (project_id = any (string_to_array(current_setting('app.projects', true), ',')));
    grant select, insert on notes to public;`);
  await admin.query("insert into notes values (1, 'mine'), (2, 'mine'), (3, 'theirs')");
  await admin.end();
  wire = await openWire(server.adminUrl);
  database = openDatabase({
    url: wire.url,
    role: "pg_monitor",
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs,
    logger: createLogger({ service: "db-test", level: "silent" }),
  });
});

afterEach(async () => {
  wire.thaw();
  await database.close();
  await wire.close();
  await server.drop();
});

const readIds: Statement = { name: "read_ids", text: "select id from public.notes order by id" };
const countNotes: Statement = { name: "count_notes", text: "select count(*)::integer as n from public.notes" };
const insertNote = (id: number): Statement => ({
  name: "insert_note",
  text: "insert into public.notes values ($1, 'mine')",
  values: [id],
});
const divideByZero: Statement = { name: "divide", text: "select 1 / 0" };
const readMine = async (): Promise<number[]> =>
  (await database.readScoped<{ id: number }>(["mine"], readIds)).rows.map(({ id }) => id);

test("a scoped read sees the rows of its projects only, in one round trip to the server", async () => {
  await readMine();
  const before = wire.exchanges();

  expect(await readMine()).toEqual([1, 2]);
  expect(wire.exchanges() - before).toBe(1);
});

test("two texts under one name are two statements, also on one connection", async () => {
  const named = (text: string): Statement => ({ name: "one_name", text });
  const texts = ["select 1 as n", "select 2 as n", "select 1 as n"];

  const answers = [];
  for (const text of texts) answers.push(await database.query<{ n: number }>(named(text)));
  const together = await database.readScoped(["mine"], texts.map(named));

  expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 1 }]]);
  expect(together.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 1 }]]);
});

test("a connection keeps at most a hundred texts of one name", async () => {
  for (let text = 0; text < 150; text += 1) {
    const { rows } = await database.query({ name: "many_texts", text: `select ${text} as n` });
    expect(rows).toEqual([{ n: text }]);
  }
  const { rows } = await database.query<{ kept: number }>({
    name: "",
    text: "select count(*)::integer as kept from pg_prepared_statements where name like 'many_texts%'",
  });
  expect(rows).toEqual([{ kept: 100 }]);
});

test("several reads return in order, in one round trip", async () => {
  await readMine();
  const before = wire.exchanges();

  const [ids, counted] = await database.readScoped<[{ id: number }, { n: number }]>(["theirs"], [readIds, countNotes]);

  expect([ids.rows, counted.rows]).toEqual([[{ id: 3 }], [{ n: 1 }]]);
  expect(wire.exchanges() - before).toBe(1);
});

test("the server ends an idle transaction, and others get its locks", async () => {
  const still = openDatabase({
    url: server.adminUrl,
    role: "pg_monitor",
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs,
    standstillMaxMs: 50,
    logger: createLogger({ service: "db-test", level: "silent" }),
  });
  const standing = still.scoped(["mine"], async (transaction) => {
    await transaction.query(insertNote(4));
    await database.scoped(["mine"], async (other) => other.query(insertNote(4)));
    await transaction.query(countNotes);
  });

  await expect(standing).rejects.toThrow();
  expect(await readMine()).toEqual([1, 2, 4]);
  await still.close();
});

test("a scoped read cannot write", async () => {
  await expect(database.readScoped(["mine"], insertNote(4))).rejects.toMatchObject({ cause: { code: "25006" } });
  expect(await readMine()).toEqual([1, 2]);
});

test("a transaction of one pipeline is two round trips: its statements, its commit", async () => {
  await readMine();
  const before = wire.exchanges();

  const [, counted] = await database.scoped(["mine"], (transaction) =>
    transaction.pipeline<[object, { n: number }]>([insertNote(4), countNotes]),
  );

  expect(counted.rows).toEqual([{ n: 3 }]);
  expect(wire.exchanges() - before).toBe(2);
  expect(await readMine()).toEqual([1, 2, 4]);
});

test("the error of a failed statement in the middle is thrown, nothing is stored, and the connection remains usable", async () => {
  const failing = database.scoped(["mine"], (transaction) =>
    transaction.pipeline([insertNote(4), divideByZero, countNotes, insertNote(5)]),
  );

  await expect(failing).rejects.toMatchObject({ code: "22012" });
  expect(await readMine()).toEqual([1, 2]);
  // First prepared after the failure, where the server ignored it.
  expect((await database.readScoped<{ n: number }>(["mine"], countNotes)).rows).toEqual([{ n: 2 }]);
  await database.scoped(["mine"], (transaction) => transaction.query(insertNote(5)));
  expect(await readMine()).toEqual([1, 2, 5]);
  expect(wire.connections()).toBe(1);
});

test("work that swallows a failure is not reported as committed", async () => {
  const work = database.scoped(["mine"], async (transaction) => {
    await transaction.query(insertNote(4));
    await transaction.query(divideByZero).catch(() => undefined);
  });

  await expect(work).rejects.toThrow("cannot be committed");
  expect(await readMine()).toEqual([1, 2]);
});

test("work that throws by itself is rolled back and keeps the connection", async () => {
  const work = database.scoped(["mine"], async (transaction) => {
    await transaction.query(insertNote(4));
    throw new Error("changed my mind");
  });

  await expect(work).rejects.toThrow("changed my mind");
  expect(await readMine()).toEqual([1, 2]);
  expect(wire.connections()).toBe(1);
});

test("a scope ends with its transaction", async () => {
  await readMine();

  expect((await database.query(countNotes)).rows).toEqual([{ n: 0 }]);
});

test("a server that freezes in the middle is store_unavailable, and its connection is never used again", async () => {
  await readMine();
  wire.freeze();

  await expect(
    database.scoped(["mine"], (transaction) => transaction.pipeline([insertNote(4), countNotes])),
  ).rejects.toMatchObject({ code: "store_unavailable" });
  wire.thaw();

  expect(await readMine()).toEqual([1, 2]);
  expect(wire.connections()).toBe(2);
});

test("a connection that breaks in the middle is store_unavailable, and the next read reconnects", async () => {
  await readMine();
  wire.freeze();
  const reading = readMine();
  const refused = expect(reading).rejects.toMatchObject({ code: "store_unavailable" });
  wire.cut();
  await refused;
  wire.thaw();

  expect(await readMine()).toEqual([1, 2]);
});

test("statements sent together share the timeout of one", async () => {
  const sleep = (name: string): Statement => ({ name, text: "select pg_sleep(0.25)" });

  await expect(
    database.readScoped(["mine"], [sleep("one"), sleep("two"), sleep("three"), sleep("four")]),
  ).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await readMine()).toEqual([1, 2]);
});

/** A proxy to the server that is monitored, and can be frozen or cut. */
interface Wire {
  url: string;
  /** How many times the client sent after the server had: the number of round trips. */
  exchanges(): number;
  connections(): number;
  freeze(): void;
  thaw(): void;
  cut(): void;
  close(): Promise<void>;
}

async function openWire(target: string): Promise<Wire> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let exchanges = 0;
  let connections = 0;
  let isFrozen = false;
  const server: Server = createServer((near) => {
    connections += 1;
    const far = connect({ host: hostname, port: Number(port) });
    let serverSpokeLast = true;
    near.on("data", (chunk) => {
      if (serverSpokeLast) exchanges += 1;
      serverSpokeLast = false;
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      serverSpokeLast = true;
      near.write(chunk);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      if (isFrozen) socket.pause();
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    exchanges: () => exchanges,
    connections: () => connections,
    freeze() {
      isFrozen = true;
      for (const socket of open) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of open) socket.resume();
    },
    cut() {
      for (const socket of open) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

test("the last statements of a transaction are sent with its commit", async () => {
  await readMine();
  const before = wire.exchanges();

  const counted = await database.scoped(["mine"], async (transaction) => {
    const [, count] = await transaction.finish<[never, { n: number }]>([insertNote(4), countNotes]);
    return count.rows[0]?.n;
  });

  expect(counted).toBe(3);
  expect(wire.exchanges() - before).toBe(1);
  expect(await readMine()).toEqual([1, 2, 4]);
});

test("if one of the last statements fails nothing is stored, and nothing may follow the commit", async () => {
  await expect(
    database.scoped(["mine"], (transaction) => transaction.finish([insertNote(4), divideByZero])),
  ).rejects.toThrow();
  expect(await readMine()).toEqual([1, 2]);

  await expect(
    database.scoped(["mine"], async (transaction) => {
      await transaction.finish([insertNote(5)]);
      await transaction.query(insertNote(6));
    }),
  ).rejects.toThrow("The transaction has ended.");
  expect(await readMine()).toEqual([1, 2, 5]);
});
