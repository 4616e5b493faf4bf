import { type Bus, connectBus } from "@touchstone/bus";
import { type StoredTrace, tracesStored } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "./ingest-database.ts";
import { type RunningIngest, startIngest, until } from "./running-ingest.ts";

let database: TestDatabase;
let nats: TestNats;
let ingest: RunningIngest;
let monitor: Bus;
const heard: StoredTrace[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  ingest = await startIngest({ databaseUrl: database.url, natsUrl: nats.url });
  monitor = connectBus({
    url: nats.url,
    user: undefined,
    password: undefined,
    service: "monitor",
    logger: silentLogger,
  });
  await monitor.consume(tracesStored, { durable: "monitor-traces-stored" }, async ({ traces }) => {
    heard.push(...traces);
  });
  await ingest.ready();
});

afterAll(async () => {
  await ingest.stop();
  await monitor.drain();
  await nats.stop();
  await database.drop();
});

const heardOf = (traceId: string): StoredTrace[] => heard.filter((trace) => trace.traceId === traceId);

test("each new root is announced with what its sender asked for", async () => {
  const projectId = uuidv7(Date.now());
  const { json } = await ingest.submit(projectId, { name: "planner", monitor: true, pattern_ids: ["p1"] });
  await until(async () => heardOf(json.trace_id).length > 0);

  expect(heardOf(json.trace_id)).toEqual([
    {
      projectId,
      traceId: json.trace_id,
      agentId: json.reference_agent_id,
      name: "planner",
      createdAt: expect.any(String),
      trafficSource: null,
      monitor: true,
      patternIds: ["p1"],
    },
  ]);
});

test("ingest works with the bus away, and what happened meanwhile is announced later", async () => {
  const projectId = uuidv7(Date.now());
  await nats.kill("SIGKILL");
  const replies = await Promise.all(["a", "b", "c"].map((name) => ingest.submit(projectId, { name })));
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await ingest.service.readiness()).ready).toBe(true);

  await nats.restart();
  await until(async () => replies.every(({ json }) => heardOf(json.trace_id).length > 0));
});

test("of two replicas one relays, and when it goes the other does", async () => {
  const second = await startIngest({ databaseUrl: database.url, natsUrl: nats.url });
  await second.ready();
  const projectId = uuidv7(Date.now());
  const fromSecond = await second.submit(projectId, { name: "by the second" });
  await until(async () => heardOf(fromSecond.json.trace_id).length > 0);

  await ingest.stop();
  const afterwards = await second.submit(projectId, { name: "after the first" });
  await until(async () => heardOf(afterwards.json.trace_id).length > 0);
  expect(heardOf(afterwards.json.trace_id)).toHaveLength(1);
  ingest = second;
});
