import { passRunsAddress } from "../environment.ts";
import { type ServedRuns, serveRuns } from "../test-runs/serve-runs.ts";

let runs: ServedRuns | null = null;

/** For `globalSetup` of Jest: creates a run for each dataset that tests name, for all workers. `jest-teardown` ends it. */
async function setup(): Promise<void> {
  runs = await serveRuns();
  passRunsAddress(runs.address);
}

/** For `globalTeardown`, in the same process. */
export async function teardown(): Promise<void> {
  await runs?.close();
  runs = null;
}

// biome-ignore lint/style/noDefaultExport: Jest calls it.
export { setup as default };
