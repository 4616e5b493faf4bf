import { type Database, migrateSchema, openDatabase, type Queryable, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, useStarted } from "@touchstone/testkit";
import type { AssemblySettings } from "../src/assembly/assembly-settings.ts";
import type { ReadSpan } from "../src/model/read-span.ts";
import { writerCount } from "../src/recording/group-commit.ts";
import { ingestSchema } from "../src/schema.ts";
import { createSearchBlockStore } from "../src/search/search-block-store.ts";
import { createTraceSweep } from "../src/settling/sweep-traces.ts";
import { createSpanAssembler } from "../src/span-updates/assemble-span.ts";
import { createPostgresTraceStore } from "../src/trace-store/postgres-trace-store.ts";
import { createSpanPartitionStore } from "../src/trace-store/span-partition-store.ts";
import type { RootShowing, TraceStore } from "../src/trace-store/trace-store.ts";

/** A page of roots as they are read, which no bytes cut. */
export const asTheyAre: RootShowing<ReadSpan> = {
  show: async (roots) => roots,
  bytesOf: () => 0,
  makeRoom: async () => {},
};

export const silentLogger = createLogger({ service: "ingest", level: "silent" });

/** A database with the schema of ingest, and the store over it. */
export interface IngestDatabase {
  store: TraceStore;
  /** The same store on connections that row-level security does not bind: only its queries keep projects apart. */
  unguardedStore: TraceStore;
  app: Database;
  maintenance: Database;
  superuser: Database;
  /** Everything that waits for something is due: one turn of the sweeper, which does not run by itself. */
  sweep(): Promise<number>;
  /** The same where live checks look at children too. */
  sweepWithChildren(): Promise<number>;
  close(): Promise<void>;
}

/** No wait for parents, and a trace of more than a few spans counts as large. */
export const impatient: AssemblySettings = {
  spansMax: 40,
  orphanGraceMs: 0,
  staleDelayMs: 0,
  settleDelayMs: 0,
  openDelayMs: 0,
};

/** Such a database, for the tests of the file that calls this. */
export function useIngestDatabase(trees?: AssemblySettings): IngestDatabase {
  return useStarted(
    () => openIngestDatabase(trees),
    (database) => database.close(),
  );
}

export async function openIngestDatabase(trees: AssemblySettings = impatient): Promise<IngestDatabase> {
  const database = await createTestDatabase();
  await migrateSchema({
    url: database.url,
    ...ingestSchema,
    logger: silentLogger,
  });
  const { app, maintenance } = openPools(database.url);
  const superuser = openPool(database.adminUrl, new URL(database.adminUrl).username);
  const partitions = createSpanPartitionStore(maintenance);
  const blocks = createSearchBlockStore({ maintenance, building: maintenance });
  const openStore = (pool: Database): TraceStore =>
    createPostgresTraceStore({
      writing: pool,
      reading: pool,
      searching: pool,
      partitions,
      blocks,
      processNumber: 0,
      tracesPerDay: null,
      assembleSpan: createSpanAssembler({ clock: { now: Date.now }, fieldCharsMax: null }),
      trees,
    });
  const sweepWith = (children: { settlesChildren: boolean }) =>
    createTraceSweep({ maintenance, tracesPerDay: null, settings: trees, logger: silentLogger, ...children });
  return {
    store: openStore(app),
    unguardedStore: openStore(superuser),
    app,
    maintenance,
    superuser,
    sweep: sweepWith({ settlesChildren: false }),
    sweepWithChildren: sweepWith({ settlesChildren: true }),
    async close() {
      await Promise.all([app.close(), maintenance.close(), superuser.close()]);
      await database.drop();
    },
  };
}

/** How many rows of these tables (of all where none is named) the transaction has read so far. */
export async function countRowsRead(transaction: Queryable, table: string | null = null): Promise<number> {
  const { rows } = await transaction.query<{ read: number }>({
    name: "",
    text: `
      select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::integer as read
      from pg_stat_xact_user_tables
      where schemaname = 'ingest' and ($1::text is null or relname = $1)`,
    values: [table],
  });
  return (rows[0] as { read: number }).read;
}

export function openPools(url: string): { app: Database; maintenance: Database } {
  const roles = rolesOf("ingest");
  return { app: openPool(url, roles.app), maintenance: openPool(url, roles.maintenance) };
}

function openPool(url: string, role: string): Database {
  return openDatabase({
    url,
    role,
    applicationName: "ingest test",
    connectionsMax: writerCount + 8,
    statementTimeoutMs: 20_000,
    logger: silentLogger,
  });
}
