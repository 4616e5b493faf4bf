import { AppError, projectDeleted } from "@touchstone/service-kit";

/**
 * SQLSTATE classes and codes that mean "retry later": connection problems, resources (53100 = disk full), operator
 * intervention, a read-only server after a failover, a database that is being restored, and the losers of serialization
 * conflicts and deadlocks.
 */
const passingStates = /^(08|3D|53|57|58|XX|25006|40001|40P01|55P03)/;

/** Those of the failed statement alone: it took too long or too much, or lost a conflict. */
const ownStates = /^(40001|40P01|53400|55P03|57014)$/;

const passingCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Raised by `<schema>.open_projects`. */
const projectDeletedState = "TSD01";

/** Texts of failures for which `pg` has no code. */
const passingMessages = [
  "timeout exceeded when trying to connect",
  "Connection terminated",
  "Query read timeout",
  "Client has encountered a connection error",
  "Client was closed",
  "Cannot use a pool after calling end",
];

/**
 * Translates a failure of the database: a temporary one becomes `store_unavailable` (503, retry); a deleted project's
 * scope becomes `unauthorized` (401), like its key; anything else is returned unchanged. A statement refused for its
 * data keeps its SQLSTATE.
 */
export function translateDatabaseError(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  if (code === projectDeletedState) return projectDeleted(thrown);
  const isPassing =
    passingStates.test(code) ||
    passingCodes.has(code) ||
    passingMessages.some((message) => thrown.message.includes(message)) ||
    (thrown instanceof AggregateError && thrown.errors.some((inner) => passingCodes.has(String(inner?.code))));
  return isPassing ? databaseUnavailable(thrown, !ownStates.test(code)) : thrown;
}

/** The same for a connection that could not be opened: for whatever reason, except one that the server gave. */
export function translateConnectionError(thrown: unknown): unknown {
  return sqlStateOf(thrown) === null ? databaseUnavailable(thrown, true) : translateDatabaseError(thrown);
}

function databaseUnavailable(cause: unknown, isOutage: boolean): AppError {
  return new AppError("store_unavailable", "The database is unavailable; retry.", { cause, isOutage });
}

/** The SQLSTATE of a refused statement, or null. */
export function sqlStateOf(thrown: unknown): string | null {
  return thrown instanceof Error &&
    "code" in thrown &&
    typeof thrown.code === "string" &&
    /^[0-9A-Z]{5}$/.test(thrown.code)
    ? thrown.code
    : null;
}

/**
 * Whether the connection that threw this can be used again: the server itself answered, and is not shutting down. After
 * anything else the next answer might belong to the previous query.
 */
export function isConnectionSound(thrown: unknown): boolean {
  const state = sqlStateOf(thrown);
  return state !== null && !/^(08|57P|58|XX)/.test(state);
}
