import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Database, openDatabase } from "../src/index.ts";

let server: TestDatabase;
let pools: Database[];

beforeAll(async () => {
  server = await createTestDatabase();
  pools = ["a", "b", "c"].map((name) =>
    openDatabase({
      url: server.adminUrl,
      role: new URL(server.adminUrl).username,
      applicationName: `ended ${name}`,
      connectionsMax: 8,
      statementTimeoutMs: 2_000,
      logger: createLogger({ service: "db-test", level: "silent" }),
    }),
  );
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await server.drop();
});

/**
 * A session may end at any moment, even between the handover of a connection and its first statement: an unhandled
 * error there ends the whole process. The window is short, so many uses and many ends are needed to hit it.
 */
test("sessions that are ended at any moment fail their current work, and nothing else", async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on("uncaughtException", hear);
  onTestFinished(() => void process.off("uncaughtException", hear));
  const endsAt = performance.now() + 2_500;
  const isOver = (): boolean => performance.now() >= endsAt;
  let uses = 0;
  let failures = 0;

  async function use(pool: Database): Promise<void> {
    while (!isOver()) {
      uses += 1;
      try {
        if (uses % 2 === 0) await pool.query({ name: "nap", text: "select pg_sleep(0.001)" });
        else {
          await pool.transaction(async (transaction) => {
            await transaction.query({ name: "one", text: "select 1" });
            await transaction.query({ name: "two", text: "select 2" });
          });
        }
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: "store_unavailable" });
        failures += 1;
        await sleep(20 * Math.random());
      }
      if (uses % 7 === 0) await sleep(10 * Math.random());
    }
  }
  async function endSessions(): Promise<void> {
    const admin = new Client({ connectionString: server.adminUrl });
    await admin.connect();
    while (!isOver()) {
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'ended%' and datname = current_database()",
      );
      await sleep(30);
    }
    await admin.end();
  }
  await Promise.all([endSessions(), ...pools.flatMap((pool) => Array.from({ length: 16 }, () => use(pool)))]);

  expect(unheard).toEqual([]);
  expect(failures).toBeGreaterThan(10);
  for (const pool of pools) await pool.query({ name: "", text: "select 1" });
});
