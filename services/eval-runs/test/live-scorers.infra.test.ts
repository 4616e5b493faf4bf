import { type Bus, connectBus } from "@touchstone/bus";
import {
  evalRunsActRecorded,
  type LiveScorers,
  limits,
  liveScorersChanged,
  type RecordedAct,
} from "@touchstone/contracts";
import { openCommitRefusal } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until, untilOneWaits } from "./conditions.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { useService, useTestSystem } from "./test-system.ts";

const groups = "/api/v1/agent-monitoring/scorer-groups";
const scorers = "/api/v1/agent-monitoring/judge-scorers";
const settings = "/api/v1/custom-agent-evaluations/evaluation-settings";

let monitor: Bus;
let client: ProjectClient;
const told: LiveScorers[] = [];

const system = useTestSystem();

beforeAll(async () => {
  monitor = connectBus({ url: system.nats.url, service: "monitor", logger: quiet });
  await monitor.consume(liveScorersChanged, { durable: "monitor-live-scorers-changed" }, async (body) => {
    told.push(body);
  });
});

const running = useService(system);

afterAll(async () => {
  await monitor?.drain();
});

beforeEach(() => {
  client = createProjectClient(running.address);
});

/** The update to monitor with the greatest revision. */
const newest = (): LiveScorers | undefined =>
  told.filter(({ projectId }) => projectId === client.projectId).sort((one, other) => other.revision - one.revision)[0];

async function hear(expected: (live: LiveScorers) => boolean): Promise<LiveScorers> {
  await until(() => expect(newest() !== undefined && expected(newest() as LiveScorers)).toBe(true));
  return newest() as LiveScorers;
}

async function createScorer(body: object): Promise<{ _id: string; online: { profileId: string } }> {
  return (await client.sendTo("POST", scorers, body)).body.judgeScorer;
}

test("every change to live judges is published as a whole, and no other change is", async () => {
  const named = (name: string) => (live: LiveScorers) => live.judges.some((judge) => judge.name === name);
  const offline = await createScorer({ name: "Offline" });
  const { judges: given } = await hear((live) => live.judges.length === 1);
  expect(given).toMatchObject([{ name: "Session Baseline Judge", enabled: false, scope: "session" }]);

  const live = await createScorer({
    name: "Tone",
    judge: { acceptanceCriteria: "Polite.", toolContext: "none" },
    online: { sampleRate: 1, alertThreshold: null, scopeMode: "selected", agentIds: ["a"] },
  });
  const afterCreation = await hear(named("Tone"));
  expect(afterCreation.judges.find(({ name }) => name === "Tone")).toEqual({
    scorerId: live._id,
    profileId: live.online.profileId,
    name: "Tone",
    version: 1,
    rubric: expect.objectContaining({ id: live._id, acceptanceCriteria: "Polite.", toolContext: "none" }),
    enabled: true,
    sampleRate: 1,
    alertThreshold: null,
    severity: "medium",
    scope: "trace",
    idleSeconds: 120,
    scopeMode: "selected",
    agentIds: ["a"],
  });

  // The rubric through its older presentation; then what live traffic has nothing to do with.
  await client.sendTo("PUT", `${settings}/${live._id}`, { acceptanceCriteria: "Very polite." });
  const afterRubric = await hear((now) => now.judges.some(({ version }) => version === 2));
  expect(afterRubric.revision).toBe(afterCreation.revision + 1);
  await client.sendTo("PUT", `${scorers}/${offline._id}`, { judge: { rejectionCriteria: "Rude." } });

  const members = [
    { kind: "judge", refId: offline._id, weight: 2, gate: true },
    { kind: "judge", refId: live._id },
  ];
  // PostgreSQL's operators refuse a document with such a text.
  const created = { name: "All", description: "\0 \ud800", members, online: { enabled: false } };
  const group = (await client.sendTo("POST", groups, created)).body;
  const afterGroup = await hear((now) => now.groups.length === 1);
  expect(afterGroup.revision).toBe(afterRubric.revision + 1);
  expect(afterGroup.groups).toMatchObject([
    {
      groupId: group.scorerGroup._id,
      enabled: false,
      members: [{ refId: offline._id, weight: 2, gate: true }, { refId: live._id }],
      rubrics: [{ id: offline._id, rejectionCriteria: "Rude." }, { id: live._id }],
    },
  ]);

  await client.sendTo("PUT", `${scorers}/${offline._id}`, { judge: { rejectionCriteria: "Sour." } });
  await hear((now) => now.groups[0]?.rubrics[0]?.rejectionCriteria === "Sour.");
  await client.sendTo("DELETE", `${groups}/${group.scorerGroup._id}`);
  await hear((now) => now.groups.length === 0);
  await client.sendTo("PUT", `${scorers}/${live._id}`, { online: null });
  expect((await hear((now) => !named("Tone")(now))).judges).toHaveLength(1);
});

test("an online evaluator is refused with the reason", async () => {
  const { _id: id } = await createScorer({ name: "Tone" });
  const evaluators = "/api/v1/monitor/online-evaluators";
  const unknown = (given: string) => `evaluationSettingsId "${given}" does not refer to an existing evaluator config`;
  for (const [body, error] of [
    [{ evaluationSettingsId: id }, "Online evaluator name is required"],
    [{ name: " ", evaluationSettingsId: id }, "Online evaluator name is required"],
    [{ name: "Live" }, "evaluationSettingsId is required"],
    [{ name: "Live", evaluationSettingsId: "none" }, unknown("none")],
    [{ name: "Live", evaluationSettingsId: client.projectId }, unknown(client.projectId)],
  ] as const) {
    expect(await client.sendTo("POST", evaluators, body)).toMatchObject({ status: 400, body: { error } });
  }
  const body = { name: "Live", evaluationSettingsId: id };
  const created = await client.sendTo("POST", evaluators, body);
  expect(created.status).toBe(201);
  expect(await client.sendTo("POST", evaluators, body)).toMatchObject({
    status: 409,
    body: { error: "The evaluator config judges live traffic already" },
  });
  const missing = { status: 404, body: { error: "Online evaluator not found" } };
  const stranger = createProjectClient(running.address);
  for (const method of ["GET", "PUT", "DELETE"] as const) {
    const sent = method === "PUT" ? {} : undefined;
    expect(await client.sendTo(method, `${evaluators}/none`, sent)).toMatchObject(missing);
    expect(await stranger.sendTo(method, `${evaluators}/${created.body.evaluator._id}`, sent)).toMatchObject(missing);
  }
});

test.each(["PUT", "DELETE"] as const)(
  "an online evaluator that is removed while it is changed stays removed, and the change is not found (%s)",
  async (method) => {
    const { _id: id, online } = await createScorer({ name: "Tone", online: {} });
    const beside = system.open("app");
    const { changing } = await beside.scoped([client.projectId], async (transaction) => {
      const lock = "select pg_advisory_xact_lock(hashtextextended('touchstone graders ' || $1, 0))";
      await transaction.query({ name: "test_graders_lock", text: lock, values: [client.projectId] });
      const path = `/api/v1/monitor/online-evaluators/${online.profileId}`;
      const changing = client.sendTo(method, path, method === "PUT" ? { sampleRate: 0.5 } : undefined);
      await untilOneWaits(beside);
      const remove = "update evals.grading_configs set online = null where project_id = $1 and id = $2";
      await transaction.query({ name: "test_remove", text: remove, values: [client.projectId, id] });
      return { changing };
    });

    expect(await changing).toMatchObject({ status: 404, body: { error: "Online evaluator not found" } });
    expect((await client.sendTo("GET", `${scorers}/${id}`)).body.judgeScorer.online).toBeNull();
  },
);

test("live scorers that were never published are published at the start of the service", async () => {
  await createScorer({ name: "Tone", online: {} });
  const before = await hear((live) => live.judges.length === 2);
  // The state of a project from before these events existed.
  await system.open("maintenance").query({
    name: "",
    text: "delete from evals.live_scorers where project_id = $1",
    values: [client.projectId],
  });
  told.length = 0;
  await system.startService();
  expect((await hear((live) => live.judges.length === 2)).judges).toEqual(before.judges);
});

test("scorers that go live or change are written to the audit log, and so are deletions, in the same transaction", async () => {
  const scorer = await createScorer({ name: "Tone", online: { enabled: true } });
  const at = `${scorers}/${scorer._id}`;
  const refusal = await openCommitRefusal(system.database.adminUrl, "evals");
  const before = await refusal.countRows();
  await refusal.refuse("P0001");
  expect((await client.sendTo("PUT", at, { online: null })).status).toBe(500);
  expect(await refusal.countRows()).toEqual(before);
  await refusal.refuse(null);
  await refusal.close();
  for (const _time of [1, 2]) await client.sendTo("PUT", at, { name: "Manner", online: { enabled: false } });
  expect((await client.sendTo("DELETE", at)).status).toBe(200);
  const kept = await createScorer({ name: "Kept" });
  const sent = { name: "Both", members: [{ kind: "judge", refId: kept._id }] };
  const group = (await client.sendTo("POST", groups, sent)).body.scorerGroup._id;
  for (const _time of [1, 2]) await client.sendTo("PUT", `${groups}/${group}`, { online: { enabled: true } });
  expect((await client.sendTo("DELETE", `${groups}/${group}`)).status).toBe(200);
  const runs = await client.createDataset({ name: "Cases", cases: [{ query: "hello" }] });
  const run = await client.createRun(runs);
  expect((await client.send("DELETE", `/runs/${run}`)).status).toBe(200);
  expect((await client.send("DELETE", `/datasets/${runs}`)).status).toBe(200);
  expect((await client.send("DELETE", `/datasets/${runs}`)).status).toBe(404);

  const { rows } = await system.open("maintenance").query<{ body: string }>({
    name: "acts_of_project",
    text: "select body from evals.outbox where subject = $1 and body::jsonb ->> 'projectId' = $2 order by id",
    values: [evalRunsActRecorded.subject, client.projectId],
  });
  const acts = rows.map(({ body }): RecordedAct => evalRunsActRecorded.body.parse(JSON.parse(body)));
  expect(acts.map(({ action, targetId, details }) => [action, targetId, details])).toEqual([
    ["grading-config.created", scorer._id, { name: "Tone", live: true }],
    ["grading-config.changed", scorer._id, { name: "Manner", changed: "name, online", live: false }],
    ["grading-config.deleted", scorer._id, { name: "Manner", live: false }],
    ["grading-config.created", kept._id, { name: "Kept", live: false }],
    ["scorer-group.created", group, { name: "Both", live: false }],
    ["scorer-group.changed", group, { name: "Both", changed: "online", live: true }],
    ["scorer-group.deleted", group, { name: "Both", live: true }],
    ["run.deleted", run, {}],
    ["dataset.deleted", runs, {}],
  ]);
});

test("the judge with which the live ones of a project become too large is refused by name, and a smaller set is taken", async () => {
  const large = { evaluationCriteria: "x".repeat(limits.judgeTextMaxChars) };
  const online = { sampleRate: 1 };
  const fitting = Math.floor(limits.liveScorersMaxBytes / (limits.judgeTextMaxChars + 1_000));
  const ids: string[] = [];
  for (let at = 0; at < fitting; at += 1) {
    ids.push((await createScorer({ name: `Large ${at}`, judge: large, online }))._id);
  }
  await hear((live) => live.judges.some(({ name }) => name === `Large ${fitting - 1}`));

  const { _id: id } = await createScorer({ name: "One more", judge: large });
  expect(await client.sendTo("PUT", `${scorers}/${id}`, { online })).toMatchObject({
    status: 400,
    body: {
      error: `The live judges of a project have at most ${limits.liveScorersMaxBytes} bytes; with "One more" they would have more.`,
    },
  });

  expect((await client.sendTo("PUT", `${scorers}/${ids[0]}`, { online: null })).status).toBe(200);
  expect((await client.sendTo("PUT", `${scorers}/${id}`, { online })).status).toBe(200);
  await hear((live) => live.judges.some(({ name }) => name === "One more"));
});

test("a judge with longer criteria than any judge may have is refused", async () => {
  const judge = { evaluationCriteria: "x".repeat(limits.judgeTextMaxChars), judgePrompt: "y" };
  expect(await client.sendTo("POST", scorers, { name: "Long", judge })).toMatchObject({
    status: 400,
    body: { error: `The criteria and the prompt of a judge must have at most ${limits.judgeTextMaxChars} characters` },
  });
});
