import { type Database, migrateSchema, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { monitorSchema } from "../src/schema.ts";

/** Monitor's schema in a separate database, and its two roles. */
export interface TestStore {
  url: string;
  database: Database;
  maintenance: Database;
  /** Runs a statement past row-level security. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const quiet = createLogger({ service: "monitor", level: "silent" });

export async function openTestStore(): Promise<TestStore> {
  const created: TestDatabase = await createTestDatabase();
  await migrateSchema({ url: created.url, ...monitorSchema, logger: quiet });
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
