import { afterAll, beforeAll, expect, test } from "vitest";
import { attacks } from "../src/attacks.ts";
import { findMissed, sharedMachineBars } from "../src/bars.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { describeMeasurement } from "../src/report.ts";
import { runAttacks } from "../src/run-attack.ts";

const seed = 1;
/**
 * Runs for a few seconds with a twentieth of the command's load. `npm run attack` measures each attack alone, against its
 * limits.
 */
const effort = { seed, seconds: 3, share: 0.05, settleSeconds: 10, usual: { slowestMs: 1_000, residentMb: 0 } };
const together = ["long-texts", "hostile-answers", "otlp-bombs", "import-bombs"];

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation("projects", seed);
});

afterAll(async () => {
  await installation?.stop();
});

test("while other tenants attack in many ways at once, a project loses nothing and memory stays bounded", async () => {
  const chosen = attacks.filter(({ name }) => together.includes(name));
  const measurement = await runAttacks(installation, chosen, effort);
  const missed = findMissed(measurement, sharedMachineBars);
  expect(missed, describeMeasurement(measurement, sharedMachineBars)).toEqual([]);
  expect(Object.values(measurement.notes.answers).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
});
