import { EmbeddedServerError, type EmbeddedServerErrorCode } from "./embedded-server-error.ts";
import type { ProcessExit } from "./server-process.ts";

const explanations: readonly {
  pattern: RegExp;
  code: EmbeddedServerErrorCode;
  message: (found: RegExpMatchArray, facts: { port: number; verb: string }) => string;
  hint: string;
}[] = [
  {
    pattern: /No space left on device/,
    code: "disk_full",
    message: (_, { verb }) => `PostgreSQL ${verb} because the disk is full.`,
    hint: "Free some space on the disk that holds SERVICE_HOME; nothing is lost.",
  },
  {
    pattern:
      /data directory was initialized by PostgreSQL version (\d+), which is not compatible with this version (\d+)/s,
    code: "data_of_another_version",
    message: (found) => `The data were written by PostgreSQL ${found[1]}, and this is PostgreSQL ${found[2]}.`,
    hint: "Start the Touchstone version that wrote them, dump the database there, and load the dump into an empty SERVICE_HOME.",
  },
  {
    pattern: /could not bind IPv4 address "[^"]+": Address already in use/,
    code: "port_in_use",
    message: (_, { port }) => `PostgreSQL cannot listen on port ${port} of 127.0.0.1, because another program does.`,
    hint: "Stop that program, or leave the port to Touchstone, which then takes a free one.",
  },
  {
    pattern: /could not bind IPv4 address "[^"]+": Permission denied/,
    code: "no_permission",
    message: (_, { port }) => `PostgreSQL may not listen on port ${port}.`,
    hint: "Choose a port above 1023, or leave the port to Touchstone, which then takes a free one.",
  },
  {
    pattern: /could not look up effective user ID (\d+)/,
    code: "account_unavailable",
    message: (found) => `PostgreSQL cannot be set up by user id ${found[1]}, because /etc/passwd has no name for it.`,
    hint: "Start Touchstone as a user that the system knows by name, or set SERVICE_DB_URL to a PostgreSQL of your own.",
  },
  {
    pattern: /lock file "postmaster\.pid" already exists|pre-existing shared memory block/,
    code: "already_running",
    message: () => "Another PostgreSQL still runs on the same data.",
    hint: "Stop it (the first line of postmaster.pid in the data folder names the process), then start again.",
  },
  {
    pattern:
      /Permission denied|must be owned by|has wrong ownership|invalid permissions|Operation not permitted|EACCES|EPERM/,
    code: "no_permission",
    message: () => "PostgreSQL may not read or write its folder.",
    hint: "Check owner and mode of SERVICE_HOME and everything below it; it must belong to the user that starts Touchstone.",
  },
  {
    pattern: /Read-only file system/,
    code: "no_permission",
    message: () => "PostgreSQL cannot write to its folder, because the disk is mounted read-only.",
    hint: "Set SERVICE_HOME to a folder on a disk that can be written.",
  },
  {
    pattern:
      /invalid (?:primary |secondary )?checkpoint record|could not locate a valid checkpoint|PANIC:|is not a database cluster directory|invalid checksum/,
    code: "data_damaged",
    message: () => "PostgreSQL cannot read its data.",
    hint: "Keep the data folder as it is, restore a backup into another SERVICE_HOME, and look at logs/postgres.log.",
  },
  {
    pattern:
      /could not (?:create|map|resize|reserve) (?:anonymous )?shared memory|Cannot allocate memory|out of memory/,
    code: "server_failed",
    message: () => "PostgreSQL did not get the memory it needs (about 200 MB).",
    hint: "Give the machine or container more memory, or set SERVICE_DB_URL to a PostgreSQL elsewhere.",
  },
];

/** The facts of a failure besides the server's output. */
export interface FailureFacts {
  port?: number;
  /** Whether it ended after it was ready, and not during its start. */
  wasReady?: boolean;
}

/**
 * Turns the output of PostgreSQL or initdb before its failure into one sentence. `exit` is null when it runs but is not
 * ready.
 */
export function explainPostgresFailure(
  output: string,
  exit: ProcessExit | null,
  { port = 0, wasReady = false }: FailureFacts = {},
): EmbeddedServerError {
  if (wasReady && exit?.signal === "SIGKILL") return explainKill("PostgreSQL");
  const verb = wasReady ? "ended" : "did not start";
  for (const { pattern, code, message, hint } of explanations) {
    const found = output.match(pattern);
    if (found) return new EmbeddedServerError(code, message(found, { port, verb }), { hint, cause: lastWords(output) });
  }
  return new EmbeddedServerError("server_failed", `PostgreSQL ${describeEnd(exit, wasReady)}.`, {
    hint: "logs/postgres.log in SERVICE_HOME says more; its last lines are the cause of this error.",
    cause: lastWords(output),
  });
}

/** The last output of a killed server does not explain its end. */
export function explainKill(name: string): EmbeddedServerError {
  return new EmbeddedServerError("server_failed", `${name} was killed (signal SIGKILL).`, {
    hint: "The kernel does so when memory is short; dmesg then names it.",
  });
}

export function describeEnd(exit: ProcessExit | null, wasReady: boolean): string {
  if (exit === null) return "was not ready in time";
  return `${wasReady ? "ended" : "ended at once"} (${exit.signal ? `signal ${exit.signal}` : `code ${exit.code}`})`;
}

/** The last ten lines, as the cause of an error. */
export function lastWords(output: string): Error {
  return new Error(output.trim().split("\n").slice(-10).join("\n"));
}
