import { createLogger, createTenants, type Tenants } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase, shareDatabase } from "../src/index.ts";

let server: TestDatabase;
const pools: Database[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

afterAll(async () => {
  await server?.drop();
});

/** Six connections for reads, four of them for one project, and three for transactions. */
function open(options: { waitMs?: number; tenants?: Tenants } = {}) {
  const pool = openDatabase({
    url: server.adminUrl,
    role: "pg_monitor",
    applicationName: "test",
    connectionsMax: 9,
    statementTimeoutMs: 20_000,
    logger: createLogger({ service: "db-test", level: "silent" }),
  });
  pools.push(pool);
  const shared = shareDatabase(pool, { name: "test", readsMax: 4, writesMax: 2, ...options });
  const { test_reads: reads, test_writes: writes } = shared.shares;
  if (reads === undefined || writes === undefined) throw new Error("a database without shares");
  return { ...shared, reads, writes };
}

const sleepFor = (seconds: number) => ({ name: "sleep", text: "select pg_sleep($1)", values: [seconds] });
const quick = { name: "quick", text: "select 1 as one" };

test("slow reads of one project do not delay another project's reads, nor transactions", async () => {
  const { database, reads } = open({ waitMs: 10_000 });
  const order: string[] = [];
  const slow = Array.from({ length: 12 }, () =>
    database.readScoped(["slow"], sleepFor(0.5)).then(() => order.push("slow")),
  );
  await expect.poll(() => reads.held()).toBe(4);

  await database.readScoped(["other"], quick).then(() => order.push("other"));
  await database.scoped(["slow"], (transaction) => transaction.query(quick)).then(() => order.push("write"));
  await Promise.all(slow);

  expect(order.slice(0, 2)).toEqual(["other", "write"]);
  expect(reads.held()).toBe(0);
});

test("the projects of an organization leave connections to another organization", async () => {
  const tenants = createTenants();
  const { database, reads } = open({ waitMs: 10_000, tenants });
  const projects = ["one", "two", "three", "four"];
  for (const projectId of projects) tenants.learn({ projectId, organizationId: "busy" });
  const slow = projects.flatMap((projectId) =>
    Array.from({ length: 4 }, () => database.readScoped([projectId], sleepFor(0.3))),
  );
  await expect.poll(() => reads.held()).toBe(5);

  let isSlowOver = false;
  const all = Promise.all(slow).then(() => {
    isSlowOver = true;
  });
  await database.readScoped(["other"], quick);
  expect(isSlowOver).toBe(false);
  await all;
});

test("a read that waits too long fails with the name of the tenant's share, and leaves nothing behind", async () => {
  const { database, reads, writes } = open({ waitMs: 50 });
  const held = [
    ...Array.from({ length: 4 }, () => database.readScoped(["slow"], sleepFor(1))),
    ...Array.from({ length: 2 }, () => database.scoped(["slow"], (transaction) => transaction.query(sleepFor(1)))),
  ];
  await expect.poll(() => [reads.held(), writes.held()]).toEqual([4, 2]);

  const message = "All database connections of this project are in use; retry.";
  await expect(database.readScoped(["slow"], quick)).rejects.toMatchObject({ code: "service_unavailable", message });
  await expect(database.scoped(["slow"], (transaction) => transaction.query(quick))).rejects.toMatchObject({ message });
  expect([reads.counts.refused_project, writes.counts.refused_project]).toEqual([1, 1]);
  await Promise.all(held);
  await database.readScoped(["slow"], quick);
  expect([reads.held(), writes.held()]).toEqual([0, 0]);
});

test("reads of several projects do not wait, and a failed read releases its connection", async () => {
  const { database, reads } = open();
  const divide = { name: "divide", text: "select 1 / 0" };
  await expect(database.readScoped(["one"], divide)).rejects.toThrow("division by zero");
  expect(reads.held()).toBe(0);

  const slow = Array.from({ length: 4 }, () => database.readScoped(["one"], sleepFor(0.3)));
  await database.readScoped(["one", "two"], quick);
  expect(reads.held()).toBe(4);
  await Promise.all(slow);
});
