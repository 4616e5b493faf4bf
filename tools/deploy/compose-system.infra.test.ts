import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ComposeProcesses, startComposeProcesses } from "./compose-processes.ts";

let system: ComposeProcesses;

beforeAll(async () => {
  system = await startComposeProcesses();
});

afterAll(() => system?.stop());

test("the services of compose become ready, accept a trace and grade a run with their permissions", async () => {
  await vi.waitFor(async () => {
    const response = await fetch(`${system.gateway}/health/ready`);
    expect(response.status, `${await response.text()}\n${system.log()}`).toBe(200);
  });
  const { apiKey } = await answerOf("/auth/config", {});
  const post = (route: string, body: unknown): Promise<Record<string, unknown>> =>
    answerOf(route, {
      method: "POST",
      headers: { "x-api-key": String(apiKey), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect(await post("/ingest/traces", { name: "agent", input: "a", output: "b" })).toMatchObject({ queued: false });
  const dataset = await post("/custom-agent-evaluations/datasets", {
    name: "dataset",
    rougeScore: { enabled: true },
    questions: [{ main_question: { query: "a", expectedResults: "b" } }],
  });
  const { runId } = await post("/custom-agent-evaluations/runs", { datasetId: dataset._id });
  // The judge computes it, so it came over the bus.
  const graded = await post(`/custom-agent-evaluations/runs/${runId}/results`, {
    batchId: "1",
    results: [{ idempotencyKey: "1", output: { text: "b" } }],
  });
  expect(graded).toMatchObject({ accepted: 1, scoredResults: [{ rougeScore: 1 }] });
  expect(system.log()).not.toMatch(/permissions? violation|permission denied/i);
});

async function answerOf(route: string, request: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(`${system.gateway}/api/v1${route}`, request);
  const text = await response.text();
  expect(response.ok, `${route} answered ${response.status}: ${text}\n${system.log()}`).toBe(true);
  return JSON.parse(text) as Record<string, unknown>;
}
