import path from "node:path";
import { type Database, migrateSchema, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase } from "@touchstone/testkit";
import { writerCount } from "../src/spans/group-commit.ts";
import { createPostgresTraceStore } from "../src/spans/postgres-trace-store.ts";
import { createSpanPartitionStore } from "../src/spans/span-partition-store.ts";
import type { TraceStore } from "../src/spans/trace-store.ts";

export const silentLogger = createLogger({ service: "ingest", level: "silent" });

/** A database with the schema of ingest, and the store over it. */
export interface IngestDatabase {
  store: TraceStore;
  app: Database;
  maintenance: Database;
  close(): Promise<void>;
}

export async function openIngestDatabase(): Promise<IngestDatabase> {
  const database = await createTestDatabase();
  await migrateSchema({
    url: database.url,
    schema: "ingest",
    directory: path.join(import.meta.dirname, "..", "migrations"),
    logger: silentLogger,
  });
  const { app, maintenance } = openPools(database.url);
  const partitions = createSpanPartitionStore(maintenance);
  return {
    store: createPostgresTraceStore({ writing: app, reading: app, partitions, processNumber: 0 }),
    app,
    maintenance,
    async close() {
      await Promise.all([app.close(), maintenance.close()]);
      await database.drop();
    },
  };
}

export function openPools(url: string): { app: Database; maintenance: Database } {
  const open = (role: string): Database =>
    openDatabase({
      url,
      role,
      applicationName: "ingest test",
      connectionsMax: writerCount + 8,
      statementTimeoutMs: 20_000,
      logger: silentLogger,
    });
  const roles = rolesOf("ingest");
  return { app: open(roles.app), maintenance: open(roles.maintenance) };
}
