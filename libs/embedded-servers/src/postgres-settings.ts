import { totalmem } from "node:os";

/**
 * Settings of our PostgreSQL, chosen for group commits of thousands of rows from a few dozen connections on one
 * machine. They are given on the command line, so a new version of Touchstone brings its own. `deploy/compose.yaml`
 * uses the same ones for its server, which a test checks.
 */
export const postgresSettings: Readonly<Record<string, string>> = {
  cluster_name: "touchstone",
  max_connections: "200",
  // A transaction that touches many partitions locks each with its indexes.
  max_locks_per_transaction: "128",
  // An acknowledged trace survives a power cut.
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  // Fewer, larger checkpoints: each first write to a page after one puts the whole page into the log.
  max_wal_size: "4GB",
  // Our queries take milliseconds; compiling one takes longer than running it.
  jit: "off",
  // A new installation may fill within a minute, and until tables are analysed they are planned as empty.
  autovacuum_naptime: "10s",
  password_encryption: "scram-sha-256",
  timezone: "UTC",
  log_timezone: "UTC",
  // Statements, their parameters and the rows in DETAIL lines are the users' data and must not be logged.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

const mebibyte = 1024 * 1024;

/**
 * The size of PostgreSQL's page cache: a twelfth of the memory, from 128 MB to 4 GB. PostgreSQL uses only as much of it
 * as it needs. With a million traces the list answers in half the time with 2 GB, and rare words are found in half
 * (bench/README.md).
 */
export function chooseSharedBuffers(memoryBytes: number): string {
  return `${Math.min(4096, Math.max(128, Math.floor(memoryBytes / 12 / mebibyte)))}MB`;
}

/** The machine's memory, or the limit of this process's control group. */
export function readMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
