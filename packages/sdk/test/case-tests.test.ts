import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Task } from "../src/ask-task.ts";
import { openCaseTests } from "../src/test-runs/case-tests.ts";
import { type ServedRuns, serveRuns } from "../src/test-runs/serve-runs.ts";
import { type ScriptedApi, startScriptedApi } from "./scripted-api.ts";

let api: ScriptedApi;
let runs: ServedRuns;

beforeEach(async () => {
  api = await startScriptedApi(["Rain?"]);
  vi.stubEnv("TOUCHSTONE_URL", api.url);
  vi.stubEnv("TOUCHSTONE_API_KEY", "key");
  runs = await serveRuns();
});
afterEach(async () => {
  await runs.close();
  vi.unstubAllEnvs();
  await api.stop();
});

/** The only test of the dataset. */
async function openTest(task: Task = () => "Yes.") {
  const [only] = await openCaseTests(runs.address, "weather", task, {});
  return { run: async () => only?.run(new AbortController().signal) };
}

/** The next answers are stored, whatever becomes of their requests. */
function storeBeforeAnswering(batchIdOf: (sent: string) => string = (sent) => sent): void {
  api.onRequest(({ method, path, body }) => {
    if (method === "POST" && path.endsWith("/results")) api.store(body.results, batchIdOf(body.batchId));
  });
}

test.each([
  ["an unavailable server", { status: 503, headers: { "retry-after": "0" } }],
  ["a broken connection", null],
])("a test passes whose answer was stored before %s, and sent again", async (_, failure) => {
  storeBeforeAnswering();
  api.answerNext(/\/results$/, failure);
  await (await openTest()).run();

  expect(api.requestsTo(/\/results$/).map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
});

test("a test that its runner repeats passes with the answer of the first time", async () => {
  const { run } = await openTest();
  await run();
  await run();
  expect(api.results.size).toBe(1);
});

test("a test that its runner repeats fails if the task failed the first time: the run keeps that", async () => {
  let asked = 0;
  const { run } = await openTest(() => {
    asked += 1;
    if (asked === 1) throw new RangeError("no forecast");
    return "Yes.";
  });
  await expect(run()).rejects.toThrow("The task failed: RangeError: no forecast");
  await expect(run()).rejects.toThrow("The task failed when the case was answered first, and the run keeps that.");
});

test("a test fails whose case another test of the same run has answered", async () => {
  storeBeforeAnswering(() => randomUUID());
  await expect((await openTest()).run()).rejects.toThrow("Another test has answered this case in the same run");
});
