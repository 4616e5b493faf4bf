import { randomUUID } from "node:crypto";
import { rescoreRunReply, resultsRated } from "@touchstone/contracts";
import { type Database, openDatabase } from "@touchstone/db";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { createGate, until } from "./conditions.ts";
import { startCuttableProxy } from "./cuttable-proxy.ts";
import { type JudgeReply, rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { quiet, startEvalRuns } from "./start-eval-runs.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

/** A judge that cannot: its provider is down. */
const unable = (): JudgeReply => ({
  verdicts: [
    {
      judgeId: "primary",
      status: "skipped",
      rating: null,
      justification: "The provider is down.",
      reason: "provider_error",
      model: "fake",
      durationMs: 1,
    },
  ],
  similarity: {},
});

beforeEach(async () => {
  judge.asked.length = 0;
  judge.behave(unable);
  client = createProjectClient(running.address);
  datasetId = await client.createDataset(buildDataset());
});

const rescore = (runId: string) => client.send("POST", `/runs/${runId}/rescore`);

describe("rescoring a run", () => {
  test("judges skipped results again with everything that was submitted, and no others", async () => {
    const runId = await client.createRun(datasetId);
    judge.behave(() => rate(9));
    await client.submit(runId, [buildResult({ idempotencyKey: "scored", questionIndex: 0 })]);
    judge.behave(unable);
    const skipped = buildResult({
      idempotencyKey: "skipped\u0000",
      questionIndex: 1,
      runNumber: 2,
      output: { text: "Within 30 days." },
      retrievalContext: ["Returns: 30 days.\u0000", "Fees."],
      timings: { latencyMs: 12 },
    });
    await client.submit(runId, [
      skipped,
      buildResult({ idempotencyKey: "failed", error: { type: "E", message: "m" } }),
    ]);
    const [, , before] = (await client.readRun(runId)).results;
    expect(before).toMatchObject({ status: "skipped", justification: "The provider is down." });
    const first = judge.asked.at(-1);
    judge.asked.length = 0;
    judge.behave(() => rate(4, "Now."));

    const answer = await rescore(runId);

    expect(answer.status).toBe(200);
    expect(rescoreRunReply.parse(answer.body)).toMatchObject({
      runId,
      status: "in_progress",
      rescored: 1,
      stillSkipped: 0,
      remaining: 0,
      scoringRevision: 0,
      averageRating: 13 / 3,
    });
    expect(judge.asked).toEqual([first]);
    const after = (await client.readRun(runId)).results;
    expect(after).toHaveLength(3);
    expect(after[2]).toEqual({
      ...before,
      _id: expect.any(String),
      skipCode: null,
      status: "scored",
      rating: 4,
      justification: "Now.",
      verdictSource: "live",
    });
    expect((await client.submit(runId, [skipped])).body.scoredResults).toMatchObject([{ rating: 4, deduped: true }]);
  });

  test("publishes the ratings of recorded traces, where verdicts are exported", async () => {
    const options = { databaseUrl: system.database.url, natsUrl: system.nats.url, exportsVerdicts: true };
    const exporting = await startEvalRuns(options);
    system.cleanups.defer(() => exporting.service.stop());
    client = createProjectClient(exporting.address);
    const runId = await client.createRun(await client.createDataset(buildDataset()));
    const traceId = randomUUID();
    await client.submit(runId, [buildResult({ traceId }), buildResult()]);
    judge.behave(() => rate(4, "Now."));

    expect((await rescore(runId)).body).toMatchObject({ rescored: 2 });

    const { rows } = await system.open("maintenance").query<{ results: object[] }>({
      name: "",
      text: "select body::jsonb->'results' as results from evals.outbox where subject = $1 and body::text like $2",
      values: [resultsRated.subject, `%${runId}%`],
    });
    expect(rows.flatMap(({ results }) => results)).toEqual([
      expect.objectContaining({ projectId: client.projectId, runId, traceId, rating: 4, justification: "Now." }),
    ]);
  });

  test("leaves results unchanged that are skipped again", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult(), buildResult()]);
    const before = await client.readRun(runId);
    expect((await rescore(runId)).body).toMatchObject({ rescored: 0, stillSkipped: 2, remaining: 0 });
    expect(await client.readRun(runId)).toEqual(before);
  });

  test("of a completed run raises its scoring revision once, keeps recorded gates as they were and makes its analysis stale", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(
      runId,
      Array.from({ length: 10 }, () => buildResult()),
    );
    await client.finalize(runId);
    await client.send("GET", `/runs/${runId}/gate?failUnder=5&record=true`);
    await client.send("POST", `/runs/${runId}/analyze`);
    expect((await rescore(runId)).body.scoringRevision).toBe(0);
    judge.behave(() => rate(8));

    const { body } = await rescore(runId);

    expect(body).toMatchObject({ status: "completed", rescored: 10, scoringRevision: 1 });
    expect(await client.readRun(runId)).toMatchObject({ status: "completed", scoringRevision: 1, averageRating: 8 });
    expect((await client.send("GET", `/runs/${runId}/gate?failUnder=5`)).body).toMatchObject({
      scoringRevision: 1,
      passed: true,
    });
    expect((await client.sendTo("GET", "/api/v1/evaluate/ci/gates")).body.gates).toMatchObject([
      { scoringRevision: 0, passed: false },
    ]);
    expect((await client.send("GET", `/runs/${runId}/report`)).body).toMatchObject({
      stale: true,
      statistics: { numberOfRuns: 10 },
    });
    expect((await rescore(runId)).body).toMatchObject({ rescored: 0, scoringRevision: 1 });
  });

  test("of a run that is finalized meanwhile raises its scoring revision", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult({ idempotencyKey: "a" }), buildResult({ idempotencyKey: "b" })]);
    const gate = createGate();
    let calls = 0;
    judge.behave(async () => {
      calls += 1;
      if (calls === 2) await gate.opened;
      return rate(4);
    });
    const rescoring = rescore(runId);
    await until(async () =>
      expect((await client.readRun(runId)).results.map(({ status }: { status: string }) => status).sort()).toEqual([
        "scored",
        "skipped",
      ]),
    );

    await client.finalize(runId);
    gate.open();

    expect(rescoreRunReply.parse((await rescoring).body)).toMatchObject({ status: "completed", scoringRevision: 1 });
  });

  test("makes what is computed from the run meanwhile stale", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult({ idempotencyKey: "a" }), buildResult({ idempotencyKey: "b" })]);
    await client.finalize(runId);
    const gate = createGate();
    let calls = 0;
    judge.behave(async () => {
      calls += 1;
      if (calls === 2) await gate.opened;
      return rate(8);
    });
    const rescoring = rescore(runId);
    await until(async () => expect(await client.readRun(runId)).toMatchObject({ scoringRevision: 1 }));

    const early = await client.send("GET", `/runs/${runId}/gate?failUnder=5&record=true`);
    expect(early.body).toMatchObject({ scoringRevision: 0, averageRating: 8 });
    await client.send("POST", `/runs/${runId}/analyze`);
    gate.open();
    await rescoring;

    expect((await client.send("GET", `/runs/${runId}/report`)).body).toMatchObject({ stale: true });
    const late = await client.send("GET", `/runs/${runId}/gate?failUnder=5`);
    expect(late.body).toMatchObject({ scoringRevision: 1 });
  });

  test("is one caller's at a time, and free again when that one is done", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult()]);
    const answering = createGate();
    judge.behave(() => answering.opened.then(() => rate(6)));
    const first = rescore(runId);
    await until(() => expect(judge.atWork()).toBe(1));

    expect(await rescore(runId)).toMatchObject({
      status: 409,
      body: { error: "Rescoring already running for this run" },
    });
    answering.open();

    expect((await first).body.rescored).toBe(1);
    expect((await rescore(runId)).body).toMatchObject({ rescored: 0, stillSkipped: 0 });
  });

  test("starts no other result once one cannot be stored, and stores those in progress before it answers", async () => {
    const runId = await client.createRun(datasetId);
    for (const first of [0, 10, 20, 30]) {
      const keys = Array.from({ length: 10 }, (_, index) => `key ${first + index}`);
      await client.submit(
        runId,
        keys.map((idempotencyKey) => buildResult({ idempotencyKey, output: { text: idempotencyKey } })),
      );
    }
    const refusal = await refuseResult("key 0");
    judge.asked.length = 0;
    const [all, refused] = [createGate(), createGate()];
    judge.behave(async (body) => {
      if (judge.atWork() === 16) all.open();
      await all.opened;
      if (body.case.output !== "key 0") await refused.opened;
      return rate(6);
    });

    const rescoring = rescore(runId);
    await until(async () => expect(await refusal.hasHappened()).toBe(true));
    refused.open();

    expect((await rescoring).status).toBe(503);
    expect(judge.asked).toHaveLength(16);
    expect((await client.readRun(runId)).liveStatistics).toMatchObject({ ratedCount: 15, skippedCount: 25 });
    await refusal.end();
    expect((await rescore(runId)).body).toMatchObject({ rescored: 25, remaining: 0 });
  });

  test("raises the scoring revision once and counts every result when the answer to a commit is lost", async () => {
    const proxy = await startCuttableProxy(system.database.url);
    system.cleanups.defer(() => proxy.stop());
    client = createProjectClient((await system.startService({}, proxy.url)).address);
    const runId = await client.createRun(await client.createDataset(buildDataset()));
    await client.submit(runId, [buildResult(), buildResult({ output: { text: "later" } })]);
    await client.finalize(runId);
    const commit = await slowFirstCommit();
    const gate = createGate();
    judge.behave(async (body) => {
      if (body.case.output === "later") await gate.opened;
      return rate(6);
    });

    const rescoring = rescore(runId);
    await until(async () => expect(await commit.hasBegun()).toBe(true));
    proxy.cut();
    proxy.mend();
    gate.open();

    expect(await rescoring).toMatchObject({
      status: 200,
      body: { rescored: 2, stillSkipped: 0, remaining: 0, scoringRevision: 1, averageRating: 6 },
    });
  });

  test.each([
    ["rates", {}, () => rate(2)],
    ["is unable to rate", { runSource: "external" }, unable],
  ])(
    "asks no judge again and answers 409 once another one has taken the run over (its judge %s)",
    async (_, more, verdict) => {
      // Without a heartbeat in time, as after a long pause of the whole process.
      const paused = await system.startService({ leaseMs: 1, heartbeatMs: 60_000 });
      const late = createProjectClient(paused.address, client.projectId);
      const runId = await client.createRun(datasetId, more);
      for (const _batch of [1, 2]) {
        await client.submit(
          runId,
          Array.from({ length: 10 }, () => buildResult()),
        );
      }
      judge.asked.length = 0;
      const [first, second] = [createGate(), createGate()];
      judge.behave(async () => {
        const isFirst = judge.asked.length <= 16;
        await (isFirst ? first : second).opened;
        return isFirst ? verdict() : rate(8);
      });
      const overtaken = late.send("POST", `/runs/${runId}/rescore`);
      await until(() => expect(judge.atWork()).toBe(16));
      const taking = rescore(runId);
      await until(() => expect(judge.atWork()).toBe(32));
      const before = await client.readRun(runId);

      first.open();

      expect(await overtaken).toMatchObject({ status: 409, body: { error: "Rescoring already running for this run" } });
      expect(judge.asked).toHaveLength(32);
      expect(await client.readRun(runId)).toEqual(before);
      second.open();
      expect(await taking).toMatchObject({ status: 200, body: { rescored: 20, averageRating: 8 } });
    },
  );

  test("stores nothing of a run that is deleted meanwhile", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult()]);
    const answering = createGate();
    judge.behave(() => answering.opened.then(() => rate(6)));
    const rescoring = rescore(runId);
    await until(() => expect(judge.atWork()).toBe(1));
    await client.send("DELETE", `/runs/${runId}`);
    answering.open();
    expect(await rescoring).toMatchObject({ status: 404, body: { error: "Run not found" } });
    expect((await client.sendTo("GET", "/api/v1/export/run-results")).text).toBe("");
  });

  test("is refused for a failed run and for a missing one", async () => {
    const runId = await client.createRun(datasetId);
    await client.finalize(runId, { status: "failed" });
    expect(await rescore(runId)).toMatchObject({ status: 409, body: { error: "A failed run cannot be rescored" } });
    expect(await rescore("none")).toMatchObject({ status: 404, body: { error: "Run not found" } });
    const stranger = createProjectClient(running.address);
    expect(await stranger.send("POST", `/runs/${runId}/rescore`)).toMatchObject({ status: 404 });
  });
});

/** Makes PostgreSQL refuse to store the result of this key, as it does when its disk is full. */
async function refuseResult(key: string): Promise<{ hasHappened(): Promise<boolean>; end(): Promise<void> }> {
  const superuser = openSuperuser();
  const run = (text: string) => superuser.query<{ is_called: boolean }>({ name: "", text });
  // A sequence keeps its value when what moved it is rolled back.
  await run("create sequence public.refusals");
  await run(`
    create function public.refuse() returns trigger language plpgsql security definer as $$
    begin
      perform nextval('public.refusals');
      raise exception 'no room' using errcode = '53100';
    end $$`);
  await run(`
    create trigger refuse before insert on evals.results for each row
    when (new.idempotency_key::text = '${JSON.stringify(key)}') execute function public.refuse()`);
  return {
    hasHappened: async () => (await run("select is_called from public.refusals")).rows[0]?.is_called ?? false,
    end: async () => void (await run("drop trigger refuse on evals.results")),
  };
}

/** Makes the first commit of a judged result take a second, so that a test can cut its connection meanwhile. */
async function slowFirstCommit(): Promise<{ hasBegun(): Promise<boolean> }> {
  const superuser = openSuperuser();
  const run = (text: string) => superuser.query<{ is_called: boolean }>({ name: "", text });
  await run("create sequence public.commits");
  await run(`
    create function public.take_long() returns trigger language plpgsql security definer as $$
    begin
      if nextval('public.commits') = 1 then perform pg_sleep(1); end if;
      return null;
    end $$`);
  await run(`
    create constraint trigger take_long after insert on evals.results deferrable initially deferred for each row
    when (new.status = 'scored') execute function public.take_long()`);
  return { hasBegun: async () => (await run("select is_called from public.commits")).rows[0]?.is_called ?? false };
}

function openSuperuser(): Database {
  const { adminUrl } = system.database;
  const options = { applicationName: "test", connectionsMax: 1, statementTimeoutMs: 20_000, logger: quiet };
  const superuser = openDatabase({ ...options, url: adminUrl, role: new URL(adminUrl).username });
  system.cleanups.defer(() => superuser.close());
  return superuser;
}
