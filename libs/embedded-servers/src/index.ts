export { EmbeddedServerError, type EmbeddedServerErrorCode } from "./embedded-server-error.ts";
export { findFreePort } from "./free-port.ts";
export { type GuardedProcess, type Guardian, startGuardian } from "./guardian.ts";
export { findOnPath } from "./locate-binaries.ts";
export { type NatsUser, renderNatsConfig } from "./nats-config.ts";
export { startThrowAwayNats, type ThrowAwayNats } from "./throw-away-nats.ts";
export { startThrowAwayPostgres, type ThrowAwayPostgres } from "./throw-away-postgres.ts";
