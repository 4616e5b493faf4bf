import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import type { RunningService } from "./start-eval-runs.ts";
import { startTestSystem, type TestSystem } from "./test-system.ts";

let system: TestSystem;
let service: RunningService;

beforeAll(async () => {
  system = await startTestSystem();
  await system.startJudge();
  service = await system.startService();
});

afterAll(() => system.stop());

async function linesOf(client: ProjectClient, entity: string, query = ""): Promise<Record<string, unknown>[]> {
  const answer = await client.sendTo("GET", `/api/v1/export/${entity}${query}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${entity}.ndjson"`);
  return answer.text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("datasets, their versions, runs and results are exported by id, as they are stored [spec:export.entity]", async () => {
  const client = createProjectClient(service.address, randomUUID());
  const datasetId = await client.createDataset({
    name: "Weather",
    questions: [{ main_question: { query: "Paris?", expectedResults: "Sunny" } }],
  });
  const runId = await client.createRun(datasetId, { evaluationSubject: { kind: "agent" } });
  await client.submit(runId, [{ idempotencyKey: "k1", output: { text: "Sunny" } }]);

  const common = { projectId: client.projectId, createdAt: expect.stringMatching(/Z$/) };
  const questions = [{ main_question: { query: "Paris?", expectedResults: "Sunny" } }];
  expect(await linesOf(client, "datasets")).toMatchObject([
    { ...common, id: datasetId, name: "Weather", version: 1, status: "published", questions },
  ]);
  expect(await linesOf(client, "dataset-versions")).toMatchObject([
    { ...common, id: `${datasetId}:1`, datasetId, version: 1, name: "Weather", questions },
  ]);
  expect(await linesOf(client, "runs")).toMatchObject([
    { ...common, id: runId, datasetId, datasetVersion: 1, evaluationSubject: { kind: "agent" }, status: "in_progress" },
  ]);
  expect(await linesOf(client, "run-results")).toMatchObject([
    { ...common, runId, idempotencyKey: "k1", caseId: "case-0", output: { text: "Sunny" }, status: "scored" },
  ]);
  for (const entity of ["datasets", "dataset-versions", "runs", "run-results"]) {
    expect(await linesOf(createProjectClient(service.address, randomUUID()), entity)).toEqual([]);
    expect(await linesOf(client, entity, "?since=2100-01-01")).toEqual([]);
    const refused = await client.sendTo("GET", `/api/v1/export/${entity}?since=soon`);
    expect([refused.status, refused.body]).toEqual([400, { error: "since must be an ISO-8601 date" }]);
  }
});

test("an export of several pages has each row once, and what was sent on several lines stands on one", async () => {
  const client = createProjectClient(service.address, randomUUID());
  const made: string[] = [];
  for (let index = 0; index < 510; index += 1) {
    const { status, body } = await client.sendTo(
      "POST",
      "/api/v1/custom-agent-evaluations/datasets",
      `{"name":"d${index}",\n"questions":[\r\n{"main_question":{"query":"1e400?","n":1e400}}]}`,
    );
    expect(status).toBe(201);
    made.push(body._id);
  }
  const rows = await linesOf(client, "datasets");
  expect(rows.map(({ id }) => id)).toEqual(made.toSorted());
  expect(await linesOf(client, "dataset-versions")).toHaveLength(510);
  const text = (await client.sendTo("GET", "/api/v1/export/datasets")).text;
  expect(text.split('"n":1e400')).toHaveLength(511);
});
