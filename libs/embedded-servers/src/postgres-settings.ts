/**
 * Settings of the embedded PostgreSQL, chosen for group commits of thousands of rows from a few dozen connections on one
 * machine. They are given on the command line, so a new version of Touchstone brings its own.
 */
export const postgresSettings: Readonly<Record<string, string>> = {
  cluster_name: "touchstone",
  max_connections: "200",
  shared_buffers: "128MB",
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
  // A new installation may fill within a minute, and until tables are analysed plans are made for empty ones.
  autovacuum_naptime: "10s",
  password_encryption: "scram-sha-256",
  timezone: "UTC",
  log_timezone: "UTC",
  // Statements, their parameters and the rows in DETAIL lines are the users' data and stay out of the log.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};
