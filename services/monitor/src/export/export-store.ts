import { limits } from "@touchstone/contracts";
import { createExportStore as createStore, type Database, type ExportStore as Store } from "@touchstone/db";
import { exportedTables } from "./exported-tables.ts";

export type ExportedEntity = keyof typeof exportedTables;
export type ExportStore = Store<ExportedEntity>;

/** Reads what this service exports. */
export function createExportStore(database: Database): ExportStore {
  return createStore({ database, tables: exportedTables, pageRows: limits.exportPageRows });
}
