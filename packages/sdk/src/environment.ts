import { readFileSync } from "node:fs";

/** The values that come from the environment where no argument names them. */
export interface Environment {
  url: string | undefined;
  apiKey: string | undefined;
}

/** An empty variable counts as unset: pipelines set variables of missing secrets to an empty text. */
export function readEnvironment(): Environment {
  const { TOUCHSTONE_URL, TOUCHSTONE_API_KEY, SERVICE_API_KEY } = process.env;
  return { url: TOUCHSTONE_URL || undefined, apiKey: TOUCHSTONE_API_KEY || SERVICE_API_KEY || undefined };
}

const runsVariable = "TOUCHSTONE_TEST_RUNS";

/** Where the set-up of a test runner serves runs, for workers that inherit the environment; undefined without a set-up. */
export const readRunsAddress = (): string | undefined => process.env[runsVariable];

/** Tells the workers of a test runner that start later. */
export function passRunsAddress(address: string): void {
  process.env[runsVariable] = address;
}

/** The version of this package. Its manifest has the same place beside `src` and `dist`. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
