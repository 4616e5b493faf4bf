import { type Bus, connectBus } from "@touchstone/bus";
import {
  type SettledTrace,
  type StoredTrace,
  sessionsJudged,
  tracesJudged,
  tracesSettled,
  tracesStored,
} from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "./ingest-database.ts";
import { buildExport } from "./otlp/build-export.ts";
import { type RunningIngest, startIngest, until } from "./running-ingest.ts";

let database: TestDatabase;
let nats: TestNats;
let ingest: RunningIngest;
let monitor: Bus;
const heard: StoredTrace[] = [];
const settled: SettledTrace[] = [];

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
  await monitor.consume(tracesSettled, { durable: "monitor-trace-settled" }, async ({ traces }) => {
    settled.push(...traces);
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

const settledOf = (traceId: string): SettledTrace[] => settled.filter((trace) => trace.traceId === traceId);

/** Exports an OTel trace of one span; answers its id. */
async function exportTrace(projectId: string, to: RunningIngest): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = buildExport({ root: true, name: "agent", attributes: { "gen_ai.operation.name": "invoke_agent" } });
  expect((await to.call(projectId, "POST", "/api/v1/otel/v1/traces", { body, headers })).status).toBe(200);
  return (await to.call(projectId, "GET", "/api/v1/ingest/traces")).json.traces[0]._id;
}

test("a REST trace settles at once, one of OpenTelemetry when nothing arrived for a while, and verdicts on them are shown", async () => {
  const projectId = uuidv7(Date.now());
  const otelId = await exportTrace(projectId, ingest);
  const { json } = await ingest.submit(projectId, { name: "planner", output: "", monitor: false });
  await until(async () => settledOf(json.trace_id).length > 0 && settledOf(otelId).length > 0);
  expect(settledOf(json.trace_id)).toMatchObject([{ projectId, isOutputEmpty: true, monitor: false, hasError: false }]);
  expect(settledOf(otelId)).toMatchObject([{ projectId, monitor: null }]);

  const scores = { rating: 7, threshold: null, scorerName: "Tone", judgeCount: 1, failingCount: 0, verdicts: [] };
  const topic = { intent: "plan", sentiment: "neutral" as const, issueType: "none" as const };
  const verdict = { projectId, traceId: json.trace_id, revision: 1, judgeScores: scores, topic };
  await monitor.publish(tracesJudged, { traces: [verdict] }, { messageId: uuidv7(Date.now()) });
  const path = `/api/v1/ingest/traces/${json.trace_id}`;
  await until(async () => (await ingest.call(projectId, "GET", path)).json.judgeScores !== null);
  expect((await ingest.call(projectId, "GET", path)).json).toMatchObject({ judgeScores: scores, topic });
  const { traces } = (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json;
  expect(traces.map(({ judgeScores }: { judgeScores: unknown }) => judgeScores)).toEqual([scores, null]);
});

test("live judging results of a session reach its list, the greatest revision in any order of arrival, of its project alone", async () => {
  const [projectId, other] = [uuidv7(Date.now()), uuidv7(Date.now())];
  for (const owner of [projectId, other]) await ingest.submit(owner, { name: "turn", session_id: "s" });
  const list = async (owner: string) =>
    (await ingest.call(owner, "GET", "/api/v1/agent-monitoring/sessions")).json.sessions;
  const judgedAt = (minute: number) =>
    new Date(Math.floor(Date.now() / 60_000) * 60_000 - minute * 60_000).toISOString();
  const say = (revision: number, rating: number, more: { sessionId: string; checkedAt: string }) => {
    const judges = [{ name: "Tone", rating }];
    return { projectId, revision, rating, scorerName: "Tone", judges, ...more };
  };
  const told = { sessionId: "s", checkedAt: judgedAt(1) };
  const publish = (sessions: ReturnType<typeof say>[]) =>
    monitor.publish(sessionsJudged, { sessions }, { messageId: uuidv7(Date.now()) });
  await publish([say(2, 4, { ...told, checkedAt: judgedAt(2) }), say(3, 7, told)]);
  await publish([say(1, 9, told)]);
  // Before the third contradicts it under the same revision: events are processed concurrently.
  await until(async () => (await list(projectId))[0].judgeRating === 7);
  await publish([say(3, 1, told), say(1, 5, { ...told, sessionId: "last" })]);
  await ingest.submit(projectId, { name: "turn", session_id: "last" });
  const isJudged = ({ judgeRating }: { judgeRating: unknown }) => judgeRating === 7 || judgeRating === 5;
  await until(async () => (await list(projectId)).every(isJudged));

  expect((await list(projectId)).find(({ sessionId }: { sessionId: string }) => sessionId === "s")).toMatchObject({
    judgeRating: 7,
    judgeName: "Tone",
    judgeCheckedAt: told.checkedAt,
    judges: [{ name: "Tone", rating: 7 }],
  });
  expect((await list(other))[0]).toMatchObject({
    judgeRating: null,
    judgeName: null,
    judgeCheckedAt: null,
    judges: [],
  });
});

test("ingest works with the bus unavailable, and announces everything later", async () => {
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

  const unsettled = await exportTrace(projectId, ingest);
  await ingest.stop();
  const afterwards = await second.submit(projectId, { name: "after the first" });
  await until(async () => heardOf(afterwards.json.trace_id).length > 0);
  expect(heardOf(afterwards.json.trace_id)).toHaveLength(1);
  ingest = second;
  await until(async () => settledOf(unsettled).length > 0);
  expect(settledOf(unsettled)).toHaveLength(1);
});
