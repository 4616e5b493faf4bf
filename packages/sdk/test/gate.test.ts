import { afterAll, beforeAll, expect, test } from "vitest";
import { Touchstone } from "../src/client.ts";
import { askGate } from "../src/gate.ts";
import { type ScriptedApi, startScriptedApi } from "./scripted-api.ts";

let api: ScriptedApi;

beforeAll(async () => {
  api = await startScriptedApi();
  api.useRun("run");
});
afterAll(() => api?.stop());

interface Rated {
  /** By the judge of the run, and by the additional scorer, of 100 results. */
  judge: number;
  safety: number;
  /** The average of the additional scorer. */
  actual: number | null;
}

/** The verdict of the gate on the additional scorer. */
async function gateOn({ judge, safety, actual }: Rated) {
  const passed = actual !== null && actual >= 7;
  const checks = [{ check: "fail-under", passed, threshold: 7, actual, detail: "" }];
  const gate = { checks, paired: null, passed, gatedScorer: { id: "s", name: "safety" }, gatedMetric: null };
  const liveStatistics = { ratedCount: judge, skippedCount: 100 - judge };
  const scorerBreakdown = [
    { scorerId: "j", primary: true, scored: judge },
    { scorerId: "s", primary: false, scored: safety },
  ];
  api.answerNext(/\/runs\/run\/gate$/, { status: 200, body: gate });
  api.answerNext(/\/runs\/run$/, { status: 200, body: { runId: "run", liveStatistics, scorerBreakdown } });
  const client = new Touchstone({ url: api.url, apiKey: "key" });
  const { verdict, undecided } = await askGate(client, "run", { scorer: "safety", failUnder: 7 });
  return { verdict, undecided };
}

test("a gate on an additional scorer is decided by the ratings of that scorer", async () => {
  expect(await gateOn({ judge: 0, safety: 100, actual: 9 })).toEqual({ verdict: "passed", undecided: null });
  expect(await gateOn({ judge: 100, safety: 95, actual: 6 })).toMatchObject({ verdict: "failed" });
});

test("a gate on an additional scorer is undecided without its ratings, whatever the judge rated", async () => {
  const few = "99 of 100 results were skipped, and 1 are rated.";
  expect(await gateOn({ judge: 100, safety: 1, actual: 9 })).toEqual({ verdict: "undecided", undecided: few });
  expect(await gateOn({ judge: 100, safety: 0, actual: null })).toMatchObject({ verdict: "undecided" });
});
