import path from "node:path";
import { defaultHome } from "@touchstone/embedded-servers";

/** The options of the command line. */
export interface Options {
  /** Load the sample project. */
  demo: boolean;
  help: boolean;
}

/** Shown by `npm start -- --help`. */
export const usage = `Usage: npm start -- [--demo]

  --demo   load a sample project: two weeks of traffic, datasets, runs, signals
  --help   show this

Data are kept in SERVICE_HOME (default: ~/.touchstone; for root /var/lib/touchstone).
SERVICE_DB_URL, SERVICE_NATS_URL and SERVICE_REDIS_URL use servers of yours instead of the built-in ones.
All settings: docs/operating/settings.md`;

/** Parses the arguments; an error names the unknown one. */
export function readOptions(args: readonly string[]): Options {
  const unknown = args.filter((argument) => argument !== "--demo" && argument !== "--help");
  if (unknown.length > 0) throw new UsageError(`Unknown argument ${unknown[0]}.\n\n${usage}`);
  return { demo: args.includes("--demo"), help: args.includes("--help") };
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** SERVICE_HOME if set, else a folder of this user. */
export function homeFolder(given: string | undefined): string {
  return given === undefined ? defaultHome() : pathOf(given);
}

/** A path argument, relative to the user's working directory. */
export function pathOf(given: string): string {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), given);
}
