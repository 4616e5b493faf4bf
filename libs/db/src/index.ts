export { auditRecorder } from "./audit-recorder.ts";
export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type PoolLoad,
  type Queryable,
  type Results,
  type Statement,
  type Transaction,
} from "./database.ts";
export { sqlStateOf, translateDatabaseError } from "./database-error.ts";
export { enqueueEvent } from "./enqueue-event.ts";
export { createExportStore, type ExportedRow, type ExportStore } from "./export-store.ts";
export {
  type Columns,
  type ExportedTable,
  exportById,
  exportedMembers,
  firstId,
  type MemberText,
} from "./exported-table.ts";
export { createKeptOutboxStore, type KeptOutboxStore } from "./kept-outbox-store.ts";
export { selectPart, storedSize } from "./list-page.ts";
export { onceInTransaction } from "./once-in-transaction.ts";
export { createOutboxStore, type OutboxRow, type OutboxStore, type WaitingEvents } from "./outbox-store.ts";
export { type ArrayColumns, integerArray, parameters } from "./parameters.ts";
export { type CloseProjects, createProjectClosing } from "./project-closing.ts";
export {
  createProjectDeletions,
  type ProjectDeletions,
  type ProjectTable,
} from "./project-deletions.ts";
export { createReadList, type ListQuery } from "./read-list.ts";
export { readableJson } from "./readable-json.ts";
export { type MigrationOptions, migrateSchema, rolesOf, type SchemaRoles } from "./schema-owner.ts";
export { prepareSchema, type SchemaMigration, type SchemaPreparation } from "./schema-preparation.ts";
export { shareDatabase } from "./share-database.ts";
