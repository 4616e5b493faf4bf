export { auditRecorder } from "./audit-recorder.ts";
export { createBatchPace } from "./batch-pace.ts";
export type { Statement } from "./connections.ts";
export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type PoolLoad,
  type Queryable,
  type Results,
  readClock,
  type Transaction,
} from "./database.ts";
export { sqlStateOf, translateDatabaseError } from "./database-error.ts";
export { createExportStore, type ExportedRow, type ExportStore } from "./export-store.ts";
export {
  type Columns,
  type ExportedTable,
  exportById,
  exportedMembers,
  firstId,
  type MemberText,
} from "./exported-table-reader.ts";
export { createKeptOutboxStore, type KeptOutboxStore } from "./kept-outbox-store.ts";
export { selectPart, storedSize } from "./list-page-reader.ts";
export { onceInTransaction } from "./once-in-transaction.ts";
export {
  createOutboxStore,
  enqueueEvent,
  type OutboxRow,
  type OutboxStore,
  type WaitingEvents,
} from "./outbox-store.ts";
export { type ArrayColumns, integerArray, parameters } from "./parameters.ts";
export { type CloseProjects, createProjectClosing } from "./project-closing-store.ts";
export {
  createProjectDeletions,
  type ProjectDeletions,
  type ProjectTable,
} from "./project-deletion-store.ts";
export { createReadList, type ListQuery } from "./read-list.ts";
export { readableJson } from "./readable-json.ts";
export { type MigrationOptions, migrateSchema, rolesOf, type SchemaRoles } from "./schema-migrations.ts";
export { prepareSchema, type SchemaMigration, type SchemaPreparation } from "./schema-preparation.ts";
export { shareDatabase } from "./share-database.ts";
