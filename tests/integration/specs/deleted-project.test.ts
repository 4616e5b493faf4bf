import { projectReply } from "@touchstone/contracts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";

/** Two gateways; the second is notified only over the bus. */
let system: System;
let secondUrl: string;
let deleting: ApiClient;
let other: ApiClient;
let projectId: string;

beforeAll(async () => {
  system = await startSystem();
  secondUrl = await system.startGateway();
});

beforeEach(async () => {
  const created = await createClient(system).send("POST", "/projects", { name: "weather" });
  const { project } = projectReply.parse(created.body);
  projectId = project._id;
  deleting = createClient({ url: system.url, apiKey: project.apiKey });
  other = createClient({ url: secondUrl, apiKey: project.apiKey });
});

afterAll(() => system?.stop());

const dataset = { name: "Weather", questions: [{ main_question: { query: "How is the weather in Paris?" } }] };
const otlpSpan = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", name: "weather-agent" };
const otlpExport = {
  resourceSpans: [{ scopeSpans: [{ spans: [{ ...otlpSpan, startTimeUnixNano: "1750000000000000000" }] }] }],
};
const batch = {
  batchId: "1",
  results: [{ idempotencyKey: "case-0:run-1", questionIndex: 0, error: { type: "timeout", message: "no answer" } }],
};

test("under continuous writes, none that was sent after the answer to the deletion is acknowledged", async () => {
  const sentAfter: number[] = [];
  let isDeleted = false;
  const writers = [deleting, other].flatMap((client) =>
    Array.from({ length: 4 }, async () => {
      for (let status = 201; status === 201; ) {
        const isAfter = isDeleted;
        status = (await client.send("POST", "/ingest/traces", { name: "weather-agent" })).status;
        if (isAfter) sentAfter.push(status);
      }
    }),
  );

  expect((await deleting.send("DELETE", `/projects/${projectId}`)).status).toBe(204);
  isDeleted = true;
  await Promise.all(writers);

  expect(sentAfter).not.toContain(201);
});

test("nothing is stored in a project after the answer to its deletion, through any gateway and without NATS", async () => {
  const { body: stored } = await other.send("POST", "/custom-agent-evaluations/datasets", dataset);
  const { _id: datasetId } = stored as { _id: string };
  const { body: run } = await other.send("POST", "/custom-agent-evaluations/runs", { datasetId });
  const { runId } = run as { runId: string };
  const writes: [string, string, unknown][] = [
    ["POST", "/ingest/traces", { name: "weather-agent" }],
    ["POST", "/otel/v1/traces", otlpExport],
    ["POST", "/agents", { name: "weather-agent" }],
    ["PUT", "/agent-monitoring/settings/retention", { retentionDays: 7 }],
    ["POST", "/custom-agent-evaluations/datasets", dataset],
    ["POST", "/custom-agent-evaluations/runs", { datasetId }],
    ["POST", `/custom-agent-evaluations/runs/${runId}/results`, batch],
    ["POST", "/agent-monitoring/judge-scorers", { name: "Helpful", judge: { evaluationCriteria: "Does it help?" } }],
    ["POST", "/monitor/patterns", { name: "Refund", includeTerms: ["refund"] }],
    ["POST", "/agent-monitoring/webhooks", { url: "https://example.com/hook", events: ["signal.new"] }],
  ];
  const writeAll = () =>
    Promise.all(writes.map(async ([method, route, body]) => (await other.send(method, route, body)).status));
  // Both gateways accept the key before; the other one caches it for 5 s from here on.
  expect(Math.max(...(await writeAll()))).toBeLessThan(300);
  await system.nats.kill("SIGKILL");

  expect((await deleting.send("DELETE", `/projects/${projectId}`)).status).toBe(204);

  expect(await writeAll()).toEqual(writes.map(() => 401));
});
