export { backUpHome, endBackups } from "./backup/back-up-home.ts";
export type { Contents, NewestRow } from "./backup/count-contents.ts";
export { readArchive, readLastBackup } from "./backup/log-archive.ts";
export { restoreHome } from "./backup/restore-home.ts";
export { EmbeddedServerError, type EmbeddedServerErrorCode } from "./embedded-server-error.ts";
export { createPortFinder, findFreePort } from "./free-port.ts";
export { type GuardedProcess, type Guardian, startGuardian } from "./guardian.ts";
export { openHome, type TouchstoneHome } from "./home.ts";
export { defaultHome, type HomeFolders } from "./home-folder.ts";
export { findOnPath, locateNatsServer } from "./locate-binaries.ts";
export { type EmbeddedNats, type NatsOptions, startNats } from "./nats.ts";
export { type NatsCluster, type NatsTls, type NatsUser, renderNatsConfig } from "./nats-config.ts";
export { type EmbeddedPostgres, type PostgresOptions, startPostgres } from "./postgres.ts";
export { postgresSettings } from "./postgres-settings.ts";
export { openSecret } from "./secret-file.ts";
export { dedicatedUid, type ServerAccount } from "./server-account.ts";
export type { ProcessExit } from "./server-process.ts";
export type { ServerEvent, SupervisionLimits } from "./supervise-server.ts";
export { startThrowAwayNats, type ThrowAwayNats } from "./throw-away-nats.ts";
export { startThrowAwayNatsCluster, type ThrowAwayNatsCluster } from "./throw-away-nats-cluster.ts";
export {
  startThrowAwayPostgres,
  type ThrowAwayPostgres,
  type ThrowAwayPostgresOptions,
} from "./throw-away-postgres.ts";
