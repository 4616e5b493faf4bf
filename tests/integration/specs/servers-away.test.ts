import { projectReply, submitTraceReply, traceList } from "@touchstone/contracts";
import { buildTrace } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";
import { waitUntil } from "../src/wait-until.ts";

let system: System;
let client: ApiClient;

beforeAll(async () => {
  system = await startSystem();
  client = createClient(system);
});

afterAll(async () => {
  await system?.stop();
});

const submitTo = (target: ApiClient, name: string) =>
  target.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", buildTrace({ name }));

async function createProject(name: string): Promise<ApiClient> {
  const { project } = await client.expect({ status: 201, schema: projectReply }, "POST", "/projects", { name });
  return createClient({ url: system.url, apiKey: project.apiKey });
}

test("with nats-server stopped, a known key and a new key can both ingest and list", async () => {
  await submitTo(client, "before");
  await system.nats.kill("SIGKILL");
  // Twice as long as a key is cached; readiness is cached for less.
  await new Promise((resolve) => setTimeout(resolve, 10_000));

  const fresh = await createProject("made while NATS is down");
  await submitTo(fresh, "new key");
  await submitTo(client, "old key");

  const listed = await fresh.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  expect(listed.traces.map((trace) => trace.name)).toEqual(["new key"]);
  const known = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  expect(known.traces.map((trace) => trace.name)).toEqual(["old key", "before"]);

  await system.nats.restart();
});

test.each(["ingest", "eval-runs"] as const)(
  "with %s down the gateway answers 503 at once and recovers",
  async (name) => {
    const route = name === "ingest" ? "/ingest/traces" : "/custom-agent-evaluations/datasets";
    await system.services[name].kill();

    const answer = await client.send("GET", route);

    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(answer.body).toEqual({ statusCode: 503, message: expect.any(String) });

    await system.restart(name);
    await waitUntil(`${name} serves again`, async () => (await client.send("GET", route)).status === 200);
  },
);

test("with auth down, a recently used key works, and an unknown one gets 503, never 401", async () => {
  const unseen = await createProject("never asked for");
  expect((await client.send("GET", "/ingest/traces")).status).toBe(200);
  await system.services.auth.kill();

  const known = await client.send("GET", "/ingest/traces");
  const unknown = await unseen.send("GET", "/ingest/traces");

  expect([known.status, unknown.status]).toEqual([200, 503]);
  await system.restart("auth");
  await waitUntil("the unknown key works", async () => (await unseen.send("GET", "/ingest/traces")).status === 200);
});
