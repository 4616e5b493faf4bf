import { afterAll, beforeAll, expect, test } from "vitest";
import { expectClean } from "../src/expect-clean.ts";
import { faults } from "../src/faults.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { planSchedule, runSchedule } from "../src/run-schedule.ts";

let system: Installation;

beforeAll(async () => {
  system = await startInstallation({ gateways: 2, ingests: 2 });
});

afterAll(async () => {
  await system?.stop();
});

test("a seed determines one schedule, and every fault occurs for some seed", () => {
  expect(planSchedule(7, 20)).toEqual(planSchedule(7, 20));
  expect(new Set(planSchedule(7, 2_000).names)).toEqual(new Set(faults.map(({ name }) => name)));
});

// Two faults of two kinds; `npm run chaos` continues from there for the requested time.
test.each([51])("faults in the order of seed %i lose, duplicate and invent nothing", async (seed) => {
  expectClean(await runSchedule(system, planSchedule(seed, 2)), { seed });
});
