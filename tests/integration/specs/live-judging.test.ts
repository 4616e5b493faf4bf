import {
  judgeScorerReply,
  liveRatingEvents,
  liveRatings,
  onlineEvaluatorList,
  onlineEvaluatorReply,
  projectReply,
  scorerGroupReply,
  sessionScores,
  submitTraceReply,
  traceDetail,
  traceEvaluations,
} from "@touchstone/contracts";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { type CollectedRecord, type OtlpCollector, startOtlpCollector } from "@touchstone/testkit/otlp-collector";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";

let llm: ScriptedLlm;
let collector: OtlpCollector;
let system: System;
let client: ApiClient;

beforeAll(async () => {
  [llm, collector] = await Promise.all([startScriptedLlm(), startOtlpCollector()]);
  // Each judge's criteria determine its rating.
  llm.answerWith(({ prompt }) => {
    const rating = Number(/rate it (\d+(?:\.\d+)?)/.exec(prompt)?.[1] ?? 5);
    return { kind: "verdict", rating, justification: `Worth ${rating}.` };
  });
  system = await startSystem({
    settings: {
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-scripted",
      SERVICE_JUDGE_RETRIES: "0",
      SERVICE_MONITOR_CHILD_SPANS: "true",
      SERVICE_OTLP_EXPORT_ENDPOINT: collector.url,
      SERVICE_OTLP_EXPORT_HEADERS: "x-tenant=a%20b",
    },
  });
  client = createClient(system);
});

afterAll(async () => {
  await system?.stop();
  await collector?.stop();
  await llm?.stop();
});

async function createJudge(name: string, rating: number, online: object | null): Promise<string> {
  const body = { name, judge: { acceptanceCriteria: `rate it ${rating}` }, online };
  const expected = { status: 201, schema: judgeScorerReply };
  return (await client.expect(expected, "POST", "/agent-monitoring/judge-scorers", body)).judgeScorer._id;
}

async function sendTrace(body: object): Promise<string> {
  const sent = { name: "weather", input: "How is the weather?", output: "Fine.", ...body };
  return (await client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", sent)).traceId;
}

const readTrace = (id: string) => client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${id}`);

test("a trace shows each verdict of live judges and groups once, through kills of monitor", async () => {
  const online = { sampleRate: 1 };
  const tone = await createJudge("Tone", 4, online);
  const facts = await createJudge("Facts", 9, null);
  const group = {
    name: "Quality",
    members: [{ refId: tone }, { refId: facts, weight: 3 }],
    online: { ...online, alertThreshold: 8 },
  };
  await client.expect({ status: 201, schema: scorerGroupReply }, "POST", "/agent-monitoring/scorer-groups", group);

  const first = await sendTrace({});
  await vi.waitFor(async () => expect((await readTrace(first)).judgeScores?.judgeCount).toBe(2), {
    timeout: 60_000,
    interval: 100,
  });
  const judged = await readTrace(first);
  expect(judged.judgeScores).toMatchObject({
    rating: 7.8,
    threshold: 8,
    scorerName: "Quality (group)",
    judgeCount: 2,
    failingCount: 2,
  });
  expect(judged.judgeScores?.verdicts).toEqual(
    expect.arrayContaining([
      { scorerName: "Tone", rating: 4, threshold: 5, failing: true },
      { scorerName: "Quality", rating: 7.8, threshold: 8, failing: true, isGroup: true },
    ]),
  );

  const [evaluator] = (
    await client.expect({ status: 200, schema: onlineEvaluatorList }, "GET", "/monitor/online-evaluators")
  ).evaluators.filter(({ name }) => name === "Tone");
  const evaluatorPath = `/monitor/online-evaluators/${evaluator?._id}`;
  const { points } = await client.expect(
    { status: 200, schema: liveRatings },
    "GET",
    `${evaluatorPath}/ratings?window=24h`,
  );
  expect(points.at(-1)?.averageRating ?? points.at(-2)?.averageRating).toBe(4);
  const { events } = await client.expect({ status: 200, schema: liveRatingEvents }, "GET", `${evaluatorPath}/events`);
  expect(events[0]).toMatchObject({
    rating: 4,
    justification: "Worth 4.",
    input: "How is the weather?",
    output: "Fine.",
  });
  const evaluationsPath = `/agent-monitoring/traces/${judged._id}/evaluations`;
  const { evaluations } = await client.expect({ status: 200, schema: traceEvaluations }, "GET", evaluationsPath);
  expect(evaluations.map(({ kind, rating }) => [kind, rating]).sort()).toEqual([
    ["group", 7.8],
    ["judge", 4],
  ]);
  const again = { name: "Again", evaluationSettingsId: tone };
  expect((await client.send("POST", "/monitor/online-evaluators", again)).status).toBe(409);
  const session = await client.expect(
    { status: 201, schema: onlineEvaluatorReply },
    "POST",
    "/monitor/online-evaluators",
    { name: "Ending", evaluationSettingsId: facts, scope: "session", idleSeconds: 1, sampleRate: 1 },
  );
  await sendTrace({ session_id: "talk" });
  await vi.waitFor(
    async () => {
      await client.send("POST", "/agent-monitoring/session-sweep/run");
      const scores = await client.expect(
        { status: 200, schema: sessionScores },
        "GET",
        "/agent-monitoring/sessions/talk/scores",
      );
      expect(scores.scores).toMatchObject([{ kind: `online-eval:${session.evaluator._id}`, rating: 9, spanCount: 1 }]);
    },
    { interval: 500 },
  );
  expect((await client.send("DELETE", `/monitor/online-evaluators/${session.evaluator._id}`)).status).toBe(204);

  await system.services.monitor.kill();
  const skipped = await sendTrace({ monitor: false });
  const waiting = await Promise.all(Array.from({ length: 5 }, (_, index) => sendTrace({ output: `Sunny, ${index}.` })));
  await system.restart("monitor");
  await vi.waitFor(
    async () => {
      const counts = await Promise.all(waiting.map(async (id) => (await readTrace(id)).judgeScores?.judgeCount));
      expect(counts).toEqual(waiting.map(() => 2));
    },
    { timeout: 60_000, interval: 200 },
  );
  expect((await readTrace(skipped)).judgeScores).toBeNull();
  // The group's Tone asks the same as the judge Tone, so each trace costs two or three calls, and never more.
  for (const id of waiting.keys()) {
    const calls = llm.requests.filter(({ prompt }) => prompt.includes(`Sunny, ${id}.`)).length;
    expect(calls).toBeLessThanOrEqual(3);
  }
});

test("with child spans enabled, a child span is judged by its own contents, and shows the verdict itself", async () => {
  const root = await sendTrace({ span_id: "asked", session_id: "air" });
  const child = { input: "How humid is the air?", output: "Forty percent.", parent_span_id: "asked" };
  const ofChild = await sendTrace({ ...child, session_id: "air" });
  const unwatched = await sendTrace({ ...child, output: "Fifty percent.", monitor: false });
  await vi.waitFor(
    async () => {
      const shown = await Promise.all([root, ofChild].map(readTrace));
      expect(shown.map(({ judgeScores }) => judgeScores?.judgeCount)).toEqual([2, 2]);
    },
    { timeout: 60_000, interval: 200 },
  );
  expect((await readTrace(unwatched)).judgeScores).toBeNull();
  const about = llm.requests.map(({ prompt }) => prompt).filter((prompt) => prompt.includes("Forty percent."));
  expect(about.some((prompt) => !prompt.includes("How is the weather?"))).toBe(true);
  const { totalRuns } = (await client.send("GET", "/monitor/kpis?window=24h")).body as { totalRuns: number };
  const { traces } = (await client.send("GET", "/ingest/traces?limit=100")).body as { traces: object[] };
  expect(totalRuns).toBe(traces.length - 1);
});

test("verdicts on an OpenTelemetry span are sent to the collector as its evaluation, and another project can receive them", async () => {
  await using cleanups = new AsyncDisposableStack();
  const database = new Client({ connectionString: system.database.adminUrl });
  await database.connect();
  cleanups.defer(() => database.end());
  const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const nano = `${Date.now()}000000`;
  const attributes = [
    { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
    { key: "gen_ai.response.id", value: { stringValue: "resp-1" } },
  ];
  const span = { traceId, spanId, name: "asked", startTimeUnixNano: nano, endTimeUnixNano: nano, attributes };
  const spans = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  const named = { name: "elsewhere" };
  const { project } = await client.expect({ status: 201, schema: projectReply }, "POST", "/projects", named);
  const other = createClient({ url: system.url, apiKey: project.apiKey });
  expect((await client.send("POST", "/otel/v1/traces", spans)).status).toBe(200);
  expect((await other.send("POST", "/otel/v1/traces", spans)).status).toBe(200);

  const sent = () => collector.exports.filter(({ records }) => records.some((each) => each.traceId === traceId));
  const records = () => sent().flatMap((each) => each.records.filter((record) => record.traceId === traceId));
  await vi.waitFor(() => expect(new Set(records().map(nameOf))).toEqual(new Set(["Tone", "Quality"])), {
    interval: 100,
  });
  const tone = records().find((record) => nameOf(record) === "Tone");
  expect(tone).toMatchObject({
    eventName: "gen_ai.evaluation.result",
    spanId,
    attributes: {
      "gen_ai.evaluation.score.value": 0.4,
      "gen_ai.evaluation.score.label": "fail",
      "gen_ai.evaluation.explanation": "Worth 4.",
      "gen_ai.response.id": "resp-1",
      "touchstone.scorer_version": 1,
      "touchstone.threshold": 5,
    },
  });
  expect(collector.exports[0]).toMatchObject({ path: "/v1/logs", headers: { "x-tenant": "a b" } });

  const encoded = { "content-type": "application/x-protobuf", "content-encoding": "gzip" };
  for (const { body } of sent()) expect((await other.send("POST", "/otel/v1/logs", body, encoded)).status).toBe(200);
  const ofOther = "select scorer_key, rating from monitor.verdicts where project_id = $1 order by scorer_key";
  await vi.waitFor(
    async () => {
      expect((await database.query(ofOther, [project._id])).rows).toEqual([
        { scorer_key: "external:Quality", rating: 7.8 },
        { scorer_key: "external:Tone", rating: 4 },
      ]);
    },
    { interval: 200 },
  );
  // Received evaluations are not forwarded.
  const projects = collector.exports.flatMap((each) => each.records.map((record) => record.attributes));
  expect(projects.some((each) => each["touchstone.project_id"] === project._id)).toBe(false);
});

const nameOf = ({ attributes }: CollectedRecord) => attributes["gen_ai.evaluation.name"];
