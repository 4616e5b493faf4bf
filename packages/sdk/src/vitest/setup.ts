import type { TestProject } from "vitest/node";
import { type ServedRuns, serveRuns } from "../test-runs/serve-runs.ts";

declare module "vitest" {
  interface ProvidedContext {
    touchstoneRuns: ServedRuns["address"];
  }
}

let runs: ServedRuns | null = null;

/** For `globalSetup` of Vitest: creates a run for each dataset that tests name, for all workers, and ends it after them. */
export async function setup(project: TestProject): Promise<void> {
  const served = await serveRuns();
  runs = served;
  project.provide("touchstoneRuns", served.address);
  // In watch mode each round is a run.
  project.onTestsRerun(served.end);
}

export async function teardown(): Promise<void> {
  await runs?.close();
}
