export type { Begin } from "./background-work.ts";
export { outboxRelaying } from "./outbox-relaying.ts";
export { projectRemover } from "./project-removal.ts";
export { type RegularSweep, sweepRegularly } from "./regular-sweep.ts";
export {
  createStoreService,
  databaseUnavailable,
  migrator,
  type StoreServiceDependencies,
  type StoreServiceKit,
} from "./store-service.ts";
export { countExportedRows, exportTable } from "./table-exports.ts";
export { trimRegularly } from "./trim-regularly.ts";
