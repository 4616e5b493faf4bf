import { randomUUID } from "node:crypto";
import { exportEntities } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

const system = useTestSystem();
useJudge(system);
const service = useService(system);

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

test("a version of a deleted dataset goes with the last run that used it", async () => {
  const client = createProjectClient(service.address, randomUUID());
  const datasetId = await client.createDataset({ name: "Private", questions: [{ main_question: { query: "Who?" } }] });
  const runIds = [await client.createRun(datasetId), await client.createRun(datasetId)];
  const remove = async (path: string) =>
    expect((await client.sendTo("DELETE", `/api/v1/custom-agent-evaluations${path}`)).status).toBeLessThan(300);
  const versions = async () => (await linesOf(client, "dataset-versions")).length;

  await remove(`/runs/${runIds[0]}`);
  expect(await versions()).toBe(1);
  await remove(`/datasets/${datasetId}`);
  expect(await versions()).toBe(1);
  await remove(`/runs/${runIds[1]}`);
  expect(await versions()).toBe(0);
});

test("datasets, their versions, runs and results are exported by id, as they are stored", {
  tags: ["spec:export.entity"],
}, async () => {
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

test("live profiles of judges are exported by their own ids, with the name they go by", {
  tags: ["spec:export.entity"],
}, async () => {
  const client = createProjectClient(service.address, randomUUID());
  const config = await client.sendTo("POST", "/api/v1/custom-agent-evaluations/evaluation-settings", { name: "Tone" });
  const evaluationSettingsId = config.body._id;
  const { body } = await client.sendTo("POST", "/api/v1/monitor/online-evaluators", {
    name: "Live",
    evaluationSettingsId,
  });
  const { _id: id, ...profile } = body.evaluator;
  // It has no name for live traffic, and a text that PostgreSQL's operators refuse.
  const nameless = { name: "Calm", description: "\0 \\\ud800\ud800 \\u0000", online: { enabled: true } };
  expect((await client.sendTo("POST", "/api/v1/agent-monitoring/judge-scorers", nameless)).status).toBe(201);

  const rows = await linesOf(client, "online-evaluators");
  expect(rows.map((row) => row.id)).toEqual(rows.map((row) => row.id).toSorted());
  expect(rows.find((row) => row.id === id)).toEqual({ id, projectId: client.projectId, ...profile });
  const listed = (await client.sendTo("GET", "/api/v1/monitor/online-evaluators")).body.evaluators;
  expect(rows.map((row) => row.id)).toEqual(listed.map(({ _id }: { _id: string }) => _id).toSorted());
  expect(rows.map((row) => row.name)).toContain("Calm");
  const others = await linesOf(createProjectClient(service.address, randomUUID()), "online-evaluators");
  expect(others.map((row) => row.name)).not.toContain("Live");
  expect(await linesOf(client, "online-evaluators", "?since=2100-01-01")).toEqual([]);
});

test("an export of several pages has each row once, and a row that was sent on several lines is on one", async () => {
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

test("graders, registries, gates and analyses are exported with their versions", {
  tags: ["spec:export.entity"],
}, async () => {
  const client = createProjectClient(service.address, randomUUID());
  const dashboard = (method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown) =>
    client.sendTo(method, `/api/v1${path}`, body);
  const settings = (await client.send("POST", "/evaluation-settings", { name: "Strict", isDefault: true })).body;
  await client.send("PUT", `/evaluation-settings/${settings._id}`, { evaluationCriteria: "Be strict." });
  const members = [{ refId: settings._id, weight: 2 }];
  const group = (await dashboard("POST", "/agent-monitoring/scorer-groups", { name: "All", members })).body.scorerGroup;
  const first = (await client.send("POST", "/prompts", { name: "p", text: "one", description: "d" })).body;
  await client.send("POST", "/prompts", { name: "p", text: "two" });
  const tool = (await dashboard("POST", "/evaluate/tool-schemas", { name: "search", definition: "{}" })).body;
  const runId = await client.createRun(await client.createDataset({ name: "n" }));
  await client.submit(runId, [{ idempotencyKey: "k", output: { text: "o" } }]);
  await client.finalize(runId);
  await client.send("GET", `/runs/${runId}/gate?failUnder=5&record=true&caller=ci`);
  const empty = await client.createRun(await client.createDataset({ name: "n" }));
  await client.finalize(empty);
  await client.send("POST", `/runs/${empty}/analyze`);

  const common = { projectId: client.projectId, createdAt: expect.stringMatching(/Z$/) };
  const strict = { name: "Strict", toolContext: "simple" };
  const own = (lines: Record<string, unknown>[]) =>
    lines.filter(({ seedKey }) => seedKey === null || seedKey === undefined);
  expect(own(await linesOf(client, "evaluation-settings"))).toMatchObject([
    {
      ...common,
      ...strict,
      id: settings._id,
      version: 2,
      isDefault: true,
      online: null,
      evaluationCriteria: "Be strict.",
    },
  ]);
  const versions = await linesOf(client, "evaluation-settings-versions");
  expect(versions.filter(({ evaluationSettingsId }) => evaluationSettingsId === settings._id)).toMatchObject([
    { ...common, ...strict, id: `${settings._id}:1`, version: 1, changeSummary: "Created" },
    { ...common, ...strict, id: `${settings._id}:2`, version: 2, evaluationCriteria: "Be strict." },
  ]);
  expect(await linesOf(client, "scorer-groups")).toMatchObject([
    { ...common, id: group._id, name: "All", members, online: null, updatedAt: expect.stringMatching(/Z$/) },
  ]);
  expect(await linesOf(client, "prompts")).toMatchObject([{ ...common, id: first._id, name: "p", version: 2 }]);
  expect(await linesOf(client, "prompt-versions")).toMatchObject([
    { ...common, id: `${first._id}:1`, promptId: first._id, version: 1, text: "one" },
    { ...common, id: `${first._id}:2`, promptId: first._id, version: 2, text: "two" },
  ]);
  const toolId = (tool.toolSchema ?? tool)._id;
  expect(await linesOf(client, "tool-schemas")).toMatchObject([
    { ...common, id: toolId, name: "search", version: 1, definition: "{}" },
  ]);
  expect(await linesOf(client, "tool-schema-versions")).toMatchObject([
    { ...common, id: `${toolId}:1`, toolSchemaId: toolId, version: 1, definition: "{}" },
  ]);
  expect(await linesOf(client, "gate-results")).toMatchObject([
    { ...common, runId, passed: true, caller: "ci", gate: { averageRating: 7 } },
  ]);
  expect(await linesOf(client, "evaluation-analyses")).toMatchObject([
    { ...common, id: empty, evaluationId: empty, status: "failed", failure: expect.any(String) },
  ]);

  const entities = Object.entries(exportEntities).filter(([, owner]) => owner === "eval-runs");
  const stranger = createProjectClient(service.address, randomUUID());
  for (const [entity] of entities) {
    expect(await linesOf(stranger, entity)).toEqual([]);
    expect(await linesOf(client, entity, "?since=2100-01-01")).toEqual([]);
  }
});
