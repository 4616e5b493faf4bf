import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Database, migrateSchema, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase, useStarted } from "@touchstone/testkit";
import { createLiveScorerStore, type LiveScorerStore } from "../src/live-scorers/live-scorer-store.ts";
import { monitorSchema } from "../src/schema.ts";

/** Monitor's schema in a separate database, and its two roles. */
export interface TestStore {
  url: string;
  database: Database;
  maintenance: Database;
  /** Applies the migrations that are not. */
  upgrade(): Promise<unknown>;
  /** Runs a statement past row-level security. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const quiet = createLogger({ service: "monitor", level: "silent" });

/** Such a store, for the tests of the file that calls this. */
export const useTestStore = (): TestStore => useStarted(openTestStore, (store) => store.close());

/** The judges of the store's projects. */
export const useLiveScorers = (store: TestStore): LiveScorerStore =>
  useStarted(async () => createLiveScorerStore(store.maintenance));

/** Opens a store; `before` = its schema is that before this migration, named by its number. */
export async function openTestStore({ before }: { before?: string } = {}): Promise<TestStore> {
  const created: TestDatabase = await createTestDatabase();
  const upgrade = (changes = {}) => migrateSchema({ url: created.url, ...monitorSchema, logger: quiet, ...changes });
  if (before === undefined) await upgrade();
  else await migrateBefore(before, (directory) => upgrade({ directory }));
  const open = (purpose: "app" | "maintenance"): Database =>
    openDatabase({
      url: created.url,
      role: rolesOf("monitor")[purpose],
      applicationName: "test",
      connectionsMax: 8,
      statementTimeoutMs: 10_000,
      openProjects: purpose === "app" ? "monitor.open_projects" : undefined,
      logger: quiet,
    });
  const database = open("app");
  const maintenance = open("maintenance");
  return {
    url: created.url,
    database,
    maintenance,
    upgrade: () => upgrade(),
    async query<Row extends object>(text: string, values: unknown[] = []) {
      return (await maintenance.query({ name: "", text, values })).rows as Row[];
    },
    async close() {
      await database.close();
      await maintenance.close();
      await created.drop();
    },
  };
}

async function migrateBefore(migration: string, migrate: (directory: string) => Promise<unknown>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "touchstone-migrations-"));
  const filter = (source: string): boolean => path.extname(source) !== ".sql" || path.basename(source) < migration;
  try {
    await cp(monitorSchema.directory, directory, { recursive: true, filter });
    await migrate(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}
