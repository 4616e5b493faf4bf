import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Bus, connectBus } from "@touchstone/bus";
import {
  classifyTopic,
  liveScorersChanged,
  modelComparison,
  runScript,
  scoreResult,
  topicMap,
} from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSettledRows, hoursAgo } from "./settled-rows.ts";
import type { ProjectClient } from "./start-monitor.ts";
import { quiet } from "./test-store.ts";
import {
  asJudge,
  createPattern,
  fakeIngest,
  judgeBy,
  listSignals,
  nats,
  newProject,
  query,
  record,
  settle,
  untilChecked,
  useWatchingMonitor,
} from "./watching-bench.ts";

useWatchingMonitor();

const path = "/agent-monitoring/custom-evaluators";

let scorer: Server;
let url: string;
let asEvalRuns: Bus;
/** The scripted scorer's answer, and the number of its calls. */
let says: object = {};
let asked = 0;
/** The scripted judge's answer. */
let script: object = {};
const classified: { labels: string[] }[] = [];
const groups: unknown[] = [];

beforeAll(async () => {
  scorer = createServer((_, response) => {
    asked += 1;
    response.end(JSON.stringify(says));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => scorer.once("listening", resolve));
  url = `http://127.0.0.1:${(scorer.address() as AddressInfo).port}/`;
  await asJudge.answer(
    runScript,
    async () => ({
      failure: null,
      result: { score: null, name: null, reason: null, metadata: null },
      ...(script as object),
    }),
    { concurrency: 4 },
  );
  await asJudge.answer(
    classifyTopic,
    async ({ labels }) => {
      classified.push({ labels });
      const topic = { intent: "refund request", sentiment: "negative" as const, issueType: "none" as const };
      return { topic, failure: null };
    },
    { concurrency: 1 },
  );
  await asJudge.answer(
    scoreResult,
    async ({ group }) => {
      groups.push(group);
      const scored = { rating: 5, justification: "j", reason: null, gatedBy: null };
      return { verdicts: [], similarity: {}, group: scored, deterministic: [] };
    },
    { concurrency: 1 },
  );
  asEvalRuns = connectBus({ url: nats.url, service: "eval-runs", logger: quiet });
  await vi.waitFor(() => expect(asEvalRuns.status()).toBe("connected"));
});

afterAll(async () => {
  await asEvalRuns?.drain();
  scorer?.close();
});

const create = async (project: ProjectClient, overrides: object): Promise<string> => {
  const { status, body } = await project.send("POST", path, { name: "Mine", sampleRate: 1, ...overrides });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.evaluator._id;
};
const readVerdicts = (project: ProjectClient) =>
  query("select scorer_key, rating, threshold, justification from monitor.verdicts where project_id = $1", [
    project.projectId,
  ]);

test("a custom scorer is created with its defaults, changed by the members that are sent, and deleted", async () => {
  const project = newProject();
  const { body } = await project.send("POST", path, { name: "Mine", url });
  const defaults = { sampleRate: 0.1, scopeMode: "all", agentIds: [], enabled: true, invertMatch: false };
  expect(body.evaluator).toMatchObject({
    name: "Mine",
    kind: "external",
    url,
    ...defaults,
    severity: "medium",
    alertBelow: 0.5,
  });
  const own = `${path}/${body.evaluator._id}`;
  const changed = await project.send("PUT", own, { kind: "code", script: "function handler() {}", severity: "high" });
  expect(changed.body.evaluator).toMatchObject({
    name: "Mine",
    kind: "code",
    language: "javascript",
    severity: "high",
  });
  expect(changed.body.evaluator).not.toHaveProperty("url");
  expect((await project.send("GET", path)).body).toEqual({ evaluators: [changed.body.evaluator] });
  const [exported] = await project.lines("/export/custom-evaluators");
  expect(exported).toMatchObject({
    id: body.evaluator._id,
    projectId: project.projectId,
    script: "function handler() {}",
  });
  expect((await newProject().send("PUT", own, {})).body).toEqual({ error: "Custom evaluator not found" });
  expect((await project.send("DELETE", own)).status).toBe(204);
  expect((await project.send("DELETE", own)).status).toBe(404);
  expect((await project.send("GET", `${own}/events`)).status).toBe(404);
});

test.each([
  [{}, "Custom evaluator name is required"],
  [{ name: "a" }, "A valid http:// or https:// url is required"],
  [{ name: "a", kind: "python" }, "kind must be one of: external, code"],
  [{ name: "a", kind: "external", url: "ftp://a.example" }, "A valid http:// or https:// url is required"],
  [{ name: "a", kind: "external" }, "A valid http:// or https:// url is required"],
  [{ name: "a", kind: "code", language: "python", script: "x" }, 'language must be "javascript"'],
  [{ name: "a", kind: "code", script: " " }, "A code scorer needs a script defining handler(...)"],
  [{ name: "a", kind: "code", script: "x", alertBelow: 2 }, "alertBelow must be a number between 0 and 1"],
])("%j is refused: %s", async (sent, error) => {
  const project = newProject();
  expect(await project.send("POST", path, sent)).toEqual({ status: 400, body: { error } });
  const { name, ...trial } = sent as { name?: string };
  if (name !== undefined)
    expect((await project.send("POST", `${path}/dry-run`, trial)).body).toMatchObject({ ok: false, error });
});

test("a flag of an external scorer is an event, a signal and, with a score, a verdict; once however often it settles", async () => {
  const project = newProject();
  const id = await create(project, { kind: "external", url });
  says = { matches: true, reason: "It is rude.", score: 0.25 };
  asked = 0;
  const trace = record(project, { output: "Go away." });
  await settle(trace);
  await untilChecked(project, 1);
  await settle(trace);
  says = { matches: false };
  await settle(record(project, { output: "Hello." }));
  await untilChecked(project, 2);

  expect(asked).toBe(2);
  expect(await readVerdicts(project)).toEqual([
    { scorer_key: `custom-scorer:${id}`, rating: 2.5, threshold: null, justification: "It is rude." },
  ]);
  expect(await listSignals(project)).toMatchObject([
    { patternKey: `custom-scorer:${id}`, type: "custom_evaluator_match", occurrenceCount: 1, rootCause: "It is rude." },
  ]);
  await query("update monitor.events set created_at = now() where project_id = $1", [project.projectId]);
  const { body } = await project.send("GET", `${path}/${id}/events?window=24h`);
  expect(body).toMatchObject({
    window: "24h",
    events: [
      { traceId: trace.traceId, flagged: true, rating: 2.5, justification: "It is rude.", output: "Go away." },
      { flagged: false, rating: null, justification: null, output: "Hello." },
    ],
  });
});

test("a script's score below its bound alerts, at it passes, and a script that skips or fails says nothing", async () => {
  const project = newProject();
  const id = await create(project, { kind: "code", script: "function handler() {}" });
  const results = [
    { result: { score: 0.49, name: "length", reason: null, metadata: null } },
    { result: { score: 0.5, name: null, reason: null, metadata: null } },
    {},
    { result: null, failure: { message: "no", isLasting: true } },
  ];
  for (const [index, result] of results.entries()) {
    script = result;
    await settle(record(project, {}));
    await untilChecked(project, index + 1);
  }
  expect((await readVerdicts(project)).toSorted((one, other) => Number(one.rating) - Number(other.rating))).toEqual([
    { scorer_key: `custom-scorer:${id}`, rating: 4.9, threshold: 5, justification: "length" },
    { scorer_key: `custom-scorer:${id}`, rating: 5, threshold: 5, justification: null },
  ]);
  expect(await listSignals(project)).toMatchObject([{ occurrenceCount: 1 }]);
});

test("a dry run stores nothing and returns the scorer's answer", async () => {
  const project = newProject();
  says = { matches: true, metadata: { words: 3 } };
  const trial = { kind: "external", url };
  const dryRun = async (more: object) => (await project.send("POST", `${path}/dry-run`, { ...trial, ...more })).body;
  expect(await dryRun({})).toMatchObject({ ok: true, response: { matches: true, metadata: { words: 3 } } });
  const { traceId } = record(project, {});
  expect(await dryRun({ traceId })).toMatchObject({ ok: true });
  expect(await dryRun({ traceId: randomUUID() })).toMatchObject({ ok: false, error: "Trace not found" });
  script = { result: null, failure: { message: "no", isLasting: true } };
  expect(await dryRun({ kind: "code", script: "x" })).toMatchObject({ ok: false, error: "no" });
  expect((await project.send("GET", path)).body).toEqual({ evaluators: [] });
});

test("members of a live group that are patterns and custom scorers bring their goodness", async () => {
  const project = newProject();
  judgeBy(() => false);
  const bad = await createPattern(project, { name: "Rude", includeTerms: ["away"], enabled: false });
  const good = await createPattern(project, {
    name: "Thanks",
    includeTerms: ["away"],
    polarity: "proper",
    enabled: false,
  });
  const boolean = await create(project, { name: "Bool", kind: "external", url, enabled: false, invertMatch: true });
  const gone = randomUUID();
  says = { matches: true };
  const refs = [bad._id, good._id, "pii-in-response", boolean, gone];
  const members = refs.map((refId, index) => ({
    kind: index < 3 ? ("pattern" as const) : ("custom" as const),
    ...{ refId, weight: 1, gate: false },
  }));
  const profile = {
    enabled: true,
    sampleRate: 1,
    alertThreshold: 5,
    severity: "low" as const,
    scope: "trace" as const,
  };
  const group = { ...profile, idleSeconds: 120, groupId: "g1", name: "All", members, rubrics: [] };
  const told = { projectId: project.projectId, revision: 1, judges: [], groups: [group] };
  await asEvalRuns.publish(liveScorersChanged, told, { messageId: randomUUID() });
  await vi.waitFor(async () =>
    expect(await query("select from monitor.live_scorers where project_id = $1", [project.projectId])).toHaveLength(1),
  );
  await settle(record(project, { output: "Go away." }));
  await untilChecked(project, 1);
  expect(groups).toMatchObject([
    {
      members: [
        { name: "Rude", goodness: 0 },
        { name: "Thanks", goodness: 1 },
        { goodness: 1 },
        { name: "Bool", goodness: 1 },
        { goodness: null, because: "It no longer exists." },
      ],
    },
  ]);
});

test("where a project asks for it, the topic of a trace is determined once, with the labels in use", async () => {
  const project = newProject();
  await settle(record(project, {}));
  const settled = "select from monitor.seen_traces where project_id = $1 and settled_at is not null";
  await vi.waitFor(async () => expect(await query(settled, [project.projectId])).toHaveLength(1));
  await project.send("PUT", "/agent-monitoring/settings/monitoring-defaults", { topicsEnabled: true });
  const trace = record(project, {});
  await settle(trace);
  await untilChecked(project, 1);
  await settle(trace);
  await settle(record(project, {}));
  await untilChecked(project, 2);

  expect(classified).toEqual([{ labels: [] }, { labels: ["refund request"] }]);
  expect((await project.send("GET", "/agent-monitoring/topics?window=7d")).body).toEqual({
    window: "7d",
    total: 2,
    intents: [{ label: "refund request", count: 2 }],
    sentiments: [{ label: "negative", count: 2 }],
    issueTypes: [{ label: "none", count: 2 }],
  });
  const kept = await query(
    "select topic->>'intent' as intent, revision from monitor.judged_traces where project_id = $1",
    [project.projectId],
  );
  expect(kept).toEqual(Array(2).fill({ intent: "refund request", revision: 1 }));
  expect(
    await query("select used::integer from monitor.live_calls where project_id = $1", [project.projectId]),
  ).toEqual([{ used: 2 }]);
});

const rows = createSettledRows({ query });

test("the map of topics shows the results of each intent's traces, the most frequent first", async () => {
  const project = newProject();
  async function classify(intent: string, more: object = {}, run: Record<string, unknown> = {}): Promise<string> {
    const id = await rows.addRun(project, run);
    const topic = JSON.stringify({ intent, sentiment: "neutral", issueType: "none", ...more });
    const [project_id, classified_at] = [project.projectId, hoursAgo(1)];
    await rows.insert("judged_traces", { project_id, trace_id: id, revision: 1, topic, classified_at });
    return id;
  }
  const failing = { operational_class: "agent-trace-error" };
  const ids = [
    await classify(
      "late order",
      { sentiment: "negative", issueType: "refusal" },
      { ...failing, created_at: hoursAgo(9) },
    ),
    await classify("late order", { sentiment: "negative" }, { created_at: hoursAgo(8) }),
    await classify("late order", {}, { created_at: hoursAgo(7) }),
    await classify("late order", {}, { created_at: hoursAgo(6) }),
    await classify("late order", { sentiment: "positive" }, { created_at: hoursAgo(5) }),
    await classify("late order", {}, { created_at: hoursAgo(4) }),
  ];
  await rows.addVerdict(project, ids[1] ?? "", { rating: 4.9 });
  await rows.addVerdict(project, ids[2] ?? "", { rating: 5 });
  const thanks = await classify("thanks");

  const { body } = await project.send("GET", "/agent-monitoring/topics/map?window=24h");
  expect(topicMap.parse(body)).toEqual({
    window: "24h",
    total: 7,
    intents: [
      {
        intent: "late order",
        count: 6,
        sentiments: { positive: 1, neutral: 3, negative: 2 },
        issueTypes: [
          { label: "none", count: 5 },
          { label: "refusal", count: 1 },
        ],
        failureRate: 1 / 3,
        traceIds: ids.slice(1).toReversed(),
      },
      {
        intent: "thanks",
        count: 1,
        sentiments: { positive: 0, neutral: 1, negative: 0 },
        issueTypes: [{ label: "none", count: 1 }],
        failureRate: 0,
        traceIds: [thanks],
      },
    ],
  });
  const empty = await newProject().send("GET", "/agent-monitoring/topics/map?window=century");
  expect(empty.body).toEqual({ window: "7d", total: 0, intents: [] });
});

test("models are compared by the traces that name them, in the window, with what ingest says they cost", async () => {
  const project = newProject();
  fakeIngest.modelCosts = [{ model: "big", cost: 1.5 }];
  for (const latency_ms of [10, 20, 30]) {
    const id = await rows.addRun(project, { model: "big", latency_ms, has_error: latency_ms === 30 });
    await rows.addVerdict(project, id, { rating: latency_ms / 10 });
    await rows.addVerdict(project, id, { rating: 9, scorer_key: "external:theirs" });
    await rows.addVerdict(project, id, { rating: 9, scorer_key: "scorer-group:all", is_group: true });
  }
  await rows.addRun(project);
  await rows.addRun(project, { model: "old", created_at: hoursAgo(8 * 24) });

  const compare = async (query: string) =>
    modelComparison.parse((await project.send("GET", `/agent-monitoring/model-comparison${query}`)).body);
  const big = { model: "big", traces: 3, errors: 1, errorRate: 1 / 3, latencyP50: 20, latencyP95: 30 };
  const unnamed = { model: null, traces: 1, errors: 0, errorRate: 0, latencyP50: null, latencyP95: null };
  expect(await compare("?window=year")).toEqual({
    window: "7d",
    since: expect.stringMatching(/T00:00:00.000Z$/),
    models: [
      { ...big, meanRating: 2, ratings: 3, costUSD: 1.5 },
      { ...unnamed, meanRating: null, ratings: 0, costUSD: null },
    ],
  });
  expect((await compare("?window=30d")).models.map(({ model }) => model)).toEqual(["big", "old", null]);
});

test("the results of a live scorer are 404 if there is no such scorer", async () => {
  const project = newProject();
  for (const read of ["ratings", "events", "calibration"]) {
    const answer = await project.send("GET", `/monitor/online-evaluators/none/${read}`);
    expect(answer).toEqual({ status: 404, body: { error: "Online evaluator not found" } });
  }
});
