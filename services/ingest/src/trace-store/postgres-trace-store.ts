import type { Database } from "@touchstone/db";
import { createRootLister } from "./reading/root-lister.ts";
import { createRootReader } from "./reading/root-reader.ts";
import { createSpanReader } from "./reading/span-reader.ts";
import { createTraceRemover } from "./removing/trace-remover.ts";
import type { TraceStore } from "./trace-store.ts";
import { type BatchWriterOptions, createBatchWriter } from "./writing/batch-writer.ts";

export interface PostgresTraceStoreOptions extends BatchWriterOptions {
  reading: Database;
  /** Reads with the timeout of a search. */
  searching: Database;
}

/** Stores {@link TraceStore} in the schema `ingest`, under the app role. */
export function createPostgresTraceStore(options: PostgresTraceStoreOptions): TraceStore {
  const { reading, searching } = options;
  return {
    ...createBatchWriter(options),
    ...createTraceRemover(reading),
    ...createRootLister(reading, searching),
    ...createRootReader(reading),
    ...createSpanReader(reading),
  };
}
