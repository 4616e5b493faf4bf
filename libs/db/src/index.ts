export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Queryable,
  type Results,
  type Statement,
  type Transaction,
} from "./database.ts";
export { sqlStateOf, translateDatabaseError } from "./database-error.ts";
export { createOutboxStore, type OutboxRow, type OutboxStore } from "./outbox-store.ts";
export { type MigrationOptions, migrateSchema, rolesOf, type SchemaRoles } from "./schema-owner.ts";
export { prepareSchema, type SchemaPreparation } from "./schema-preparation.ts";
