import { parseArgs } from "node:util";
import { type Contents, EmbeddedServerError, type NewestRow } from "@touchstone/embedded-servers";
import { ConfigError, loadSettings } from "@touchstone/service-kit";
import { homeFolder, pathOf, UsageError } from "../options.ts";

/** The newest acknowledged trace, which a restored home must have. */
export const newestTrace: NewestRow = {
  table: "ingest.spans",
  find: `select id::text as id, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
         from ingest.spans where is_root order by id desc limit 1`,
  findById: "select from ingest.spans where id = $1::uuid",
};

/** Tables that only users and retention empty. */
export const keptTables: readonly string[] = [
  ...["auth.accounts", "auth.organizations", "auth.project_keys", "auth.projects"],
  ...["evals.datasets", "evals.results", "evals.runs", "ingest.agents", "ingest.spans"],
  ...["judge.verdicts", "monitor.signals", "monitor.verdicts"],
];

/** What a command line gave: the text of an option, or true for one that takes none. */
export type Given<Option extends string> = Partial<Record<Option, string | boolean>>;

/** A command line with options that each take a text, or none. */
export interface Command<Option extends string> {
  usage: string;
  /** What is true after Ctrl-C or SIGTERM. */
  interrupted: string;
  options: Record<Option, { type: "string" | "boolean" }>;
  /** Prints its result; returns the exit code. A {@link UsageError} is shown with the usage. */
  run(given: Given<Option>, home: string, signal: AbortSignal): Promise<number>;
}

/**
 * Runs a command on the home of SERVICE_HOME; its failures are sentences. Exit code 2: it was called wrongly; 130: it was
 * interrupted, and has cleaned up.
 */
export async function runCommand<Option extends string>(command: Command<Option>): Promise<void> {
  const { usage, options, run } = command;
  const interruption = new AbortController();
  // A reader of the output that is gone must not end a backup in the middle.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  // SIGTERM comes more than once: from a service manager, from npm, and from what npm runs. A second Ctrl-C does not wait.
  process.once("SIGINT", () => interruption.abort());
  for (const name of ["SIGTERM", "SIGHUP"] as const) process.on(name, () => interruption.abort());
  try {
    const given = readArguments(process.argv.slice(2), options);
    if (given === null) {
      console.log(usage);
      return;
    }
    const { values } = loadSettings(["SERVICE_HOME", "SERVICE_DB_URL"], process.env);
    if (values.SERVICE_DB_URL !== undefined) {
      throw new ConfigError([
        "SERVICE_DB_URL: names a PostgreSQL of your own; back it up with its tools (docs/operating/backup.md)",
      ]);
    }
    process.exitCode = await run(given, homeFolder(values.SERVICE_HOME), interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) {
      process.exitCode = 130;
      console.error(command.interrupted);
      return;
    }
    process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
    console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : explain(error));
  }
}

/** The folder that an option names, relative to the user's working directory. */
export function requireFolder<Option extends string>(given: Given<Option>, option: Option): string {
  const folder = given[option];
  if (typeof folder !== "string" || folder === "") throw new UsageError(`--${option} is required.`);
  return pathOf(folder);
}

export function printNewestTrace({ newest }: Contents): void {
  console.log(newest === null ? "There is no trace." : `The newest trace is ${newest.id}, of ${newest.at}.`);
}

function readArguments<Option extends string>(
  args: string[],
  options: Command<Option>["options"],
): Given<Option> | null {
  if (args.includes("--help")) return null;
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values as Given<Option>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function explain(error: unknown): string {
  if (error instanceof EmbeddedServerError) {
    // A home that could not be restored is emptied, with the log of its server.
    const lastWords = error.code === "server_failed" && error.cause instanceof Error ? `\n${error.cause.message}` : "";
    return `${error.message} ${error.hint}${lastWords}`;
  }
  if (error instanceof ConfigError) return error.message;
  return `The command failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
