import { type ServedRuns, serveRuns } from "../test-runs/serve-runs.ts";

/** Jest's workers inherit the environment. */
export const addressVariable = "TOUCHSTONE_TEST_RUNS";

let runs: ServedRuns | null = null;

/** For `globalSetup` of Jest: creates a run for each dataset that tests name, for all workers. `jest-teardown` ends it. */
// biome-ignore lint/style/noDefaultExport: Jest calls it.
export default async function setup(): Promise<void> {
  runs = await serveRuns();
  process.env[addressVariable] = runs.address;
}

/** For `globalTeardown`, in the same process. */
export async function teardown(): Promise<void> {
  await runs?.close();
  runs = null;
}
