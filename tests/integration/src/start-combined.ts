import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, startTestNats, type TestDatabase } from "@touchstone/testkit";
import { startStandaloneProcess } from "./standalone-process.ts";

/** A whole system as `npm start` runs it: all services in one process, here on a separate database and nats-server. */
export interface CombinedSystem {
  url: string;
  /** The key of the default project; empty if there is none. */
  apiKey: string;
  database: TestDatabase;
  /** What the process printed so far, the logs of the services included. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts a system and waits until it is ready. One process takes a third of the processor time that `startSystem` takes, which is for
 * tests that stop single services, run several of one, or look at what passes between them.
 */
export async function startCombined({
  settings = {},
}: {
  settings?: Record<string, string>;
} = {}): Promise<CombinedSystem> {
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
    return { url: started.url, apiKey: started.apiKey, database, log: started.output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
