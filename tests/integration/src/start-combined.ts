import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { Client } from "pg";
import { type StandaloneOptions, startStandaloneProcess } from "./standalone-process.ts";

/** A whole system as `npm start` runs it: all services in one process, here on a separate database and nats-server. */
export interface CombinedSystem {
  url: string;
  /** The key of the default project; empty if there is none. */
  apiKey: string;
  database: TestDatabase;
  nats: TestNats;
  pid: number;
  /** What the process printed so far, the logs of the services included. */
  log(): string;
  /** Does the work while the database refuses and ends connections. */
  withoutDatabase(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a system and waits until it is ready. One process takes a third of the processor time that `startSystem` takes, which is for
 * tests that stop single services, run several of one, or look at what passes between them.
 */
export async function startCombined({
  settings = {},
  ...options
}: Pick<StandaloneOptions, "settings" | "nodeArguments"> = {}): Promise<CombinedSystem> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const nats = await startTestNats();
    cleanups.push(() => nats.stop());
    const home = await mkdtemp(path.join(tmpdir(), "touchstone-combined-"));
    cleanups.push(() => rm(home, { recursive: true, force: true }));
    const started = await startStandaloneProcess({
      ...options,
      home,
      settings: {
        SERVICE_DB_URL: database.url,
        SERVICE_NATS_URL: nats.url,
        SERVICE_INTERNAL_SECRET: randomBytes(32).toString("base64url"),
        SERVICE_DASHBOARD: "off",
        ...settings,
      },
    });
    cleanups.push(() => started.interrupt());
    const { url, apiKey, pid, output } = started;
    return {
      url,
      apiKey,
      database,
      nats,
      pid,
      log: output,
      withoutDatabase: (work) => withoutConnections(database.adminUrl, work),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function withoutConnections(adminUrl: string, work: () => Promise<void>): Promise<void> {
  const name = new URL(adminUrl).pathname.slice(1);
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`alter database ${name} connection limit 0`);
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
      [name],
    );
    await work();
  } finally {
    await admin.query(`alter database ${name} connection limit -1`);
    await admin.end();
  }
}
