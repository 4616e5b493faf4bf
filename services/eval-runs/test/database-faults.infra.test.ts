import { buildDataset, buildResult, openCommitRefusal } from "@touchstone/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGate, until } from "./conditions.ts";
import { startCuttableProxy } from "./cuttable-proxy.ts";
import { rate } from "./fake-judge.ts";
import { createProjectClient, startRun } from "./project-client.ts";
import { startEvalRuns } from "./start-eval-runs.ts";
import { startTestSystem, type TestSystem } from "./test-system.ts";

let system: TestSystem;

beforeEach(async () => {
  system = await startTestSystem();
});

afterEach(() => system.stop());

describe("PostgreSQL unavailable", () => {
  test("at the start: the service is up, reports why it is not ready, answers 503, and recovers by itself", async () => {
    const proxy = await startCuttableProxy(system.database.url, true);
    system.cleanups.defer(() => proxy.stop());
    const running = await startEvalRuns({ databaseUrl: proxy.url, natsUrl: system.nats.url, untilReady: false });
    system.cleanups.defer(() => running.service.stop());
    const client = createProjectClient(running.address);

    const refused = await client.send("POST", "/datasets", { name: "n" });

    expect(refused).toMatchObject({ status: 503, body: { error: "The database is unavailable; retry." } });
    expect(refused.headers.get("retry-after")).toBe("2");
    const readiness = await fetch(`${running.address}/health/ready`);
    expect(readiness.status).toBe(503);
    proxy.mend();
    await until(async () => expect((await client.send("POST", "/datasets", { name: "n" })).status).toBe(201));
    expect(await running.service.readiness()).toMatchObject({ ready: true });
  });

  test("while a batch is judged: 503, and the retry does the rest", {
    tags: ["spec:retry.safe", "spec:retry.results"],
  }, async () => {
    const judge = await system.startJudge();
    const proxy = await startCuttableProxy(system.database.url);
    system.cleanups.defer(() => proxy.stop());
    const running = await system.startService({ leaseMs: 500, heartbeatMs: 100 }, proxy.url);
    const client = createProjectClient(running.address);
    const runId = await startRun(client);
    const gate = createGate();
    judge.behave(async (body) => {
      if (body.case.output === "slow") await gate.opened;
      return rate(6);
    });
    const results = [buildResult({ output: { text: "slow" } }), buildResult()];
    const submitting = client.submit(runId, results);
    await until(async () => expect(await client.readRun(runId)).toMatchObject({ resultCount: 1 }));
    proxy.cut();
    gate.open();

    const answer = await submitting;
    expect(answer).toMatchObject({ status: 503, body: { error: "The database is unavailable; retry." } });
    expect(answer.headers.get("retry-after")).toBe("2");
    expect((await client.send("GET", `/runs/${runId}`)).status).toBe(503);

    proxy.mend();
    await until(async () => {
      const retried = await client.submit(runId, results);
      expect(retried.status).toBe(200);
    });
    expect(await client.readRun(runId)).toMatchObject({ resultCount: 2, averageRating: 6 });
  });

  test("for a moment while a result is stored: the judgement is not lost", async () => {
    const judge = await system.startJudge();
    const proxy = await startCuttableProxy(system.database.url);
    system.cleanups.defer(() => proxy.stop());
    const running = await system.startService({}, proxy.url);
    const client = createProjectClient(running.address);
    const runId = await startRun(client);
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(6);
    });
    const submitting = client.submit(runId, [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));
    proxy.cut();
    gate.open();
    await until(() => expect(proxy.refused()).toBeGreaterThan(0));
    proxy.mend();

    expect(await submitting).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(judge.asked).toHaveLength(1);
  });
});

test("a request that fails at its commit stores nothing, whether the answer is 500 or 503, and is done once by a retry", {
  tags: ["spec:status.500", "spec:envelope.global", "spec:retry.safe"],
}, async () => {
  await system.startJudge();
  const client = createProjectClient((await system.startService()).address);
  const datasetId = await client.createDataset({ ...buildDataset(), ci: { enabled: true } });
  const runId = await client.createRun(datasetId);
  const judging = "/api/v1/agent-monitoring";
  // The first look at a project's graders writes the seeded ones.
  const { judgeScorers } = (await client.sendTo("GET", `${judging}/judge-scorers`)).body;
  const member = { refId: judgeScorers[0]._id };
  const refusal = await openCommitRefusal(system.database.adminUrl, "evals");
  system.cleanups.defer(() => refusal.close());

  const evaluations = "/api/v1/custom-agent-evaluations";
  for (const [path, body, table] of [
    [`${evaluations}/datasets`, buildDataset(), "datasets"],
    [`${evaluations}/datasets/import?name=Imported`, [{ query: "Why?" }], "datasets"],
    [
      `${evaluations}/datasets/${datasetId}/cases`,
      { case: { main_question: { query: "Which colour?" }, source: { traceId: "t" } }, dedupe: false },
      "dataset_versions",
    ],
    [`${evaluations}/evaluation-settings`, { name: "Clarity" }, "grading_configs"],
    [`${judging}/judge-scorers`, { name: "Tone" }, "grading_configs"],
    [`${judging}/scorer-groups`, { name: "All", members: [member] }, "scorer_groups"],
    [`${evaluations}/prompts`, { name: "greet", text: "Greet." }, "prompt_versions"],
    ["/api/v1/evaluate/tool-schemas", { name: "search", definition: "{}" }, "tool_schemas"],
    [`${evaluations}/runs`, { datasetId }, "runs"],
    ["/api/v1/ingest/ci-runs", { dataset_id: datasetId }, "ci_runs"],
    [`${evaluations}/runs/${runId}/results`, { batchId: "b", results: [buildResult()] }, "results"],
  ] as const) {
    const before = await refusal.countRows();
    for (const [sqlState, status, told] of [
      ["53100", 503, { error: "The database is unavailable; retry." }],
      ["P0001", 500, { statusCode: 500, message: expect.stringMatching(/^(?!.*commit)/) }],
    ] as const) {
      await refusal.refuse(sqlState);
      const answer = await client.sendTo("POST", path, body);
      expect([path, answer.status, answer.body]).toEqual([path, status, told]);
      expect([path, await refusal.countRows()]).toEqual([path, before]);
    }
    await refusal.refuse(null);
    expect([path, (await client.sendTo("POST", path, body)).status]).toEqual([path, expect.toBeOneOf([200, 201])]);
    expect([path, (await refusal.countRows())[table]]).toEqual([path, (before[table] ?? 0) + 1]);
  }
});

describe("row-level security", () => {
  test("holds by itself: without the project in scope nothing is seen, changed or put there", async () => {
    const client = createProjectClient((await system.startService()).address);
    await system.startJudge();
    const runId = await startRun(client);
    await client.submit(runId, [buildResult()]);
    const app = system.open("app");
    const stranger = crypto.randomUUID();

    for (const table of ["datasets", "dataset_versions", "runs", "results"]) {
      const count = { name: `test_count_${table}`, text: `select count(*)::integer as count from evals.${table}` };
      const seen = async (projectIds: string[]) =>
        app.scoped(projectIds, async (transaction) => (await transaction.query(count)).rows[0]?.count);
      expect([await seen([]), await seen([stranger]), await seen([client.projectId])]).toEqual([0, 0, 1]);
    }
    await app.scoped([stranger], async (transaction) => {
      const changed = await transaction.query({
        name: "test_update",
        text: "update evals.runs set status = 'failed' where id = $1",
        values: [runId],
      });
      expect(changed.rowCount).toBe(0);
    });
    await expect(
      app.scoped([stranger], (transaction) =>
        transaction.query({
          name: "test_insert",
          text: "insert into evals.datasets (project_id, id, version, created_at) values ($1, $1, 1, now())",
          values: [client.projectId],
        }),
      ),
    ).rejects.toThrow("row-level security");
  });
});
