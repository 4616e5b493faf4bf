import { run as runSchema } from "@touchstone/contracts";
import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import type { Call } from "@touchstone/service-kit";
import {
  buildDataset,
  buildResult,
  createTestDatabase,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getRun } from "../src/http/runs/get-run.ts";
import { createResultStore } from "../src/results/result-store.ts";
import { createRunStore } from "../src/runs/run-store.ts";
import {
  createGate,
  createProjectClient,
  type FakeJudge,
  type ProjectClient,
  quiet,
  type RunningService,
  rate,
  startEvalRuns,
  startFakeJudge,
  until,
} from "./system-under-test.ts";

let database: TestDatabase;
let nats: TestNats;
let running: RunningService;
let judge: FakeJudge;
let client: ProjectClient;
let datasetId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  nats = await startTestNats();
  judge = await startFakeJudge(nats.url);
  running = await startEvalRuns({ databaseUrl: database.url, natsUrl: nats.url });
  client = createProjectClient(running.address);
  datasetId = await client.createDataset(buildDataset());
});

afterAll(async () => {
  await running?.service.stop();
  await judge?.stop();
  await nats?.stop();
  await database?.drop();
});

beforeEach(() => {
  judge.behave(() => rate(7));
});

const create = (body: unknown) => client.send("POST", "/runs", body);

describe("creating a run", () => {
  test("answers 201 with the run's id and what a client keeps to", async () => {
    const { status, body } = await create({ datasetId });

    expect(status).toBe(201);
    expect(body).toEqual({
      _id: body.runId,
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      datasetId,
      evaluationSettingsId: null,
      scorerGroupId: null,
      additionalScorerIds: null,
      status: "in_progress",
      smokeTestVariants: null,
      limits: { maxBatchSize: 10, maxTraceBytesPerResult: 20000, maxMetadataBytesPerResult: 4000 },
    });
  });

  const missing = "00000000-0000-7000-8000-000000000000";
  test.each([
    [{}, 400, "datasetId is required"],
    [[], 400, "datasetId is required"],
    [{ datasetId: 5 }, 400, "datasetId is required"],
    [{ datasetId: "d", additionalScorerIds: "s" }, 400, "additionalScorerIds must be an array of strings"],
    [{ datasetId: "d", additionalScorerIds: ["s", 1] }, 400, "additionalScorerIds must be an array of strings"],
    [
      { datasetId: "d", additionalScorerIds: Array.from({ length: 11 }, (_, index) => `s${index}`) },
      400,
      "additionalScorerIds must have at most 10 entries",
    ],
    [{ datasetId: "d", runSource: "trace-eval" }, 400, 'runSource must not be "trace-eval"'],
    [{ datasetId: "d", runSource: "a\0b" }, 400, "runSource must be plain text of at most 64 characters"],
    [{ datasetId: "d", verdictMode: "cache" }, 400, 'verdictMode must be "live"'],
    [{ datasetId: "d", evaluationSubject: [] }, 400, "evaluationSubject must be an object"],
    [{ datasetId: "d", split: 1 }, 400, "split must be a string"],
    [{ datasetId: "d", workspaceId: "elsewhere" }, 403, "Unauthorized workspace access"],
    [{ datasetId: "no-id" }, 404, "Dataset not found"],
    [{ datasetId: missing }, 404, "Dataset not found"],
  ])("refuses %j: %i %s", async (body, status, error) => {
    expect(await create(body)).toMatchObject({ status, body: { error } });
  });

  test.each([
    [{ evaluationSettingsId: missing }, "Evaluation settings not found"],
    [{ scorerGroupId: missing }, "Scorer group not found"],
    [{ additionalScorerIds: ["one", "two"] }, "Judge scorer not found: one"],
  ])("refuses unknown graders %j", async (graders, error) => {
    expect(await create({ datasetId, ...graders })).toMatchObject({ status: 404, body: { error } });
  });

  test("takes null, an empty list and eleven times the same scorer as what they say", async () => {
    const nulls = { evaluationSettingsId: null, scorerGroupId: null, evaluationSubject: null, verdictMode: "live" };
    expect((await create({ datasetId, ...nulls, additionalScorerIds: [] })).status).toBe(201);
    expect(await create({ datasetId, additionalScorerIds: Array(11).fill("same") })).toMatchObject({ status: 404 });
  });
});

describe("reading a run", () => {
  test("a run without results has zeros, nulls and empty lists", async () => {
    const runId = await client.createRun(datasetId);

    const run = await client.readRun(runId);

    expect(run).toEqual({
      _id: runId,
      runId,
      datasetId,
      evaluationSettingsId: null,
      scorerGroupId: null,
      additionalScorerIds: null,
      scorerBreakdown: null,
      evaluationSubject: null,
      status: "in_progress",
      runSource: "sdk",
      resultCount: 0,
      averageRating: null,
      liveStatistics: {
        averageRating: null,
        minRating: null,
        maxRating: null,
        ratedCount: 0,
        skippedCount: 0,
        failedCount: 0,
      },
      caseStatistics: [],
      results: [],
      createdAt: expect.any(String),
    });
    expect(runSchema.safeParse(run).error).toBeUndefined();
  });

  test("the subject comes back letter by letter, with the split in it", async () => {
    const subject = '{"kind":"custom_agent","z":1e400,"2":1,"__proto__":{"a":1},"nul":"\\u0000\\ud800","split":"old"}';
    const text = `{"datasetId":"${datasetId}","split":"dev \\u0000","evaluationSubject": ${subject} ,"runSource":"ci"}`;
    const { body } = await client.send("POST", "/runs", text);

    const read = await client.send("GET", `/runs/${body.runId}`);

    expect(read.text).toContain(
      '"evaluationSubject":{"kind":"custom_agent","z":1e400,"2":1,"__proto__":{"a":1},"nul":"\\u0000\\ud800","split":"dev \\u0000"}',
    );
    expect(read.body.runSource).toBe("ci");
    const splitOnly = await client.createRun(datasetId, { split: "test" });
    expect((await client.readRun(splitOnly)).evaluationSubject).toEqual({ split: "test" });
  });

  test("orders results by question, run number, originals before variants, then as they were submitted", async () => {
    const runId = await client.createRun(datasetId);
    const place = (name: string, questionIndex: number, runNumber: number, isSmokeTestVariant = false) =>
      buildResult({ questionIndex, runNumber, isSmokeTestVariant, output: { text: name } });

    await client.submit(runId, [
      place("f", 1, 1),
      place("d", 0, 2),
      place("c", 0, 1, true),
      place("a", 0, 1),
      place("b", 0, 1),
    ]);
    await client.submit(runId, [place("e", 0, 10), place("b2", 0, 1)]);

    const { results } = await client.readRun(runId);
    expect(results.map((result: { output: { text: string } }) => result.output.text)).toEqual([
      "a",
      "b",
      "b2",
      "c",
      "d",
      "e",
      "f",
    ]);
  });

  test("keeps the order of submission among results of one question and run number", async () => {
    const runId = await client.createRun(datasetId);
    const names = Array.from({ length: 10 }, (_, index) => `answer ${index}`);

    await client.submit(
      runId,
      names.map((text) => buildResult({ output: { text } })),
    );

    const { results } = await client.readRun(runId);
    expect(results.map((result: { output: { text: string } }) => result.output.text)).toEqual(names);
  });

  test("computes its statistics over rated results that are no variants", async () => {
    const runId = await client.createRun(datasetId);
    const outcomes: Record<string, number> = { good: 9, fair: 6, poor: 0.5 };
    judge.behave((body) => {
      const rating = outcomes[body.case.output];
      if (rating !== undefined) return rate(rating);
      const verdict = { judgeId: "primary", model: null, durationMs: 1, rating: null };
      return {
        verdicts: [{ ...verdict, status: "skipped", justification: "No key.", reason: "no_key" }],
        similarity: {},
      };
    });
    const answer = (text: string, more = {}) => buildResult({ output: { text }, ...more });

    const { body } = await client.submit(runId, [
      answer("good"),
      answer("fair"),
      answer("good", { isSmokeTestVariant: true, smokeTestVariantText: "Where's it?" }),
      answer("unrated"),
      buildResult({ output: null, error: { type: "Timeout", message: "too slow" } }),
      answer("poor", { questionIndex: 1 }),
    ]);

    const liveStatistics = {
      averageRating: (9 + 6 + 0 + 0.5) / 4,
      minRating: 0,
      maxRating: 9,
      ratedCount: 4,
      skippedCount: 1,
      failedCount: 1,
    };
    expect(body.liveStatistics).toEqual(liveStatistics);
    const run = await client.readRun(runId);
    expect(run).toMatchObject({ resultCount: 6, averageRating: liveStatistics.averageRating, liveStatistics });
    expect(run.caseStatistics).toEqual([
      { questionIndex: 0, ratedCount: 3, averageRating: 5, minRating: 0, maxRating: 9, ratingVariance: 14 },
    ]);
    expect(runSchema.safeParse(run).error).toBeUndefined();
  });

  test("a thousand results are read with as many statements as one", async () => {
    const small = await client.createRun(datasetId);
    await client.submit(small, [buildResult()]);
    const large = await client.createRun(datasetId);
    await Promise.all(
      Array.from({ length: 100 }, () =>
        client.submit(
          large,
          Array.from({ length: 10 }, () => buildResult()),
        ),
      ),
    );

    const ofSmall = await readCountingStatements(small);
    const ofLarge = await readCountingStatements(large);

    expect(ofLarge.run.results).toHaveLength(1000);
    expect(ofLarge.statements).toBe(ofSmall.statements);
  });

  test("a run of another project is not found, nor can it be added to or finalized", async () => {
    const runId = await client.createRun(datasetId);
    const stranger = createProjectClient(running.address);

    for (const id of [runId, "00000000-0000-7000-8000-000000000000", "not-an-id"]) {
      const answers = [
        await stranger.send("GET", `/runs/${id}`),
        await stranger.submit(id, [buildResult()]),
        await stranger.finalize(id),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: "Run not found" } });
    }
    expect(await stranger.send("POST", "/runs", { datasetId })).toMatchObject({
      status: 404,
      body: { error: "Dataset not found" },
    });
    expect(await client.readRun(runId)).toMatchObject({ status: "in_progress", resultCount: 0 });
  });
});

/** Reads a run through the route's own handler, over a database that counts. */
async function readCountingStatements(runId: string): Promise<{ run: { results: unknown[] }; statements: number }> {
  const real = openDatabase({
    url: database.url,
    role: rolesOf("evals").app,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 5_000,
    logger: quiet,
  });
  let statements = 0;
  const counting: Database = {
    ...real,
    scoped: (projectIds, work) =>
      real.scoped(projectIds, (transaction) =>
        work({
          query(statement) {
            statements += 1;
            return transaction.query(statement);
          },
        }),
      ),
  };
  const handle = getRun({ runs: createRunStore(counting), results: createResultStore(counting) });
  const call = { identity: { projectId: client.projectId }, params: { runId } } as unknown as Call;
  const { body } = await handle(call);
  await real.close();
  return { run: JSON.parse(body as string), statements };
}

describe("finalizing a run", () => {
  test("completes it, once and for all", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult(), buildResult()]);

    const first = await client.finalize(runId);
    const again = await client.finalize(runId, { status: "failed" });

    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      runId,
      _id: runId,
      datasetId,
      status: "completed",
      resultCount: 2,
      averageRating: 7,
      liveStatistics: (await client.readRun(runId)).liveStatistics,
    });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await client.readRun(runId)).toMatchObject({ status: "completed" });
  });

  test("as failed stays failed, which is an ordinary answer", async () => {
    const runId = await client.createRun(datasetId);

    expect((await client.finalize(runId, { status: "failed" })).body.status).toBe("failed");
    expect(await client.finalize(runId, { status: "completed" })).toMatchObject({
      status: 200,
      body: { status: "failed" },
    });
  });

  test.each([[{ status: "done" }], [{ status: 1 }]])("refuses %j", async (body) => {
    const runId = await client.createRun(datasetId);

    expect(await client.finalize(runId, body)).toMatchObject({
      status: 400,
      body: { error: 'status must be "completed" or "failed"' },
    });
    expect((await client.readRun(runId)).status).toBe("in_progress");
  });

  test("a terminal run takes no results", async () => {
    for (const status of ["completed", "failed"]) {
      const runId = await client.createRun(datasetId);
      await client.finalize(runId, { status });

      expect(await client.submit(runId, [buildResult()])).toMatchObject({
        status: 409,
        body: { error: "Run is already in a terminal state" },
      });
      expect((await client.readRun(runId)).resultCount).toBe(0);
    }
  });

  test("many finalizes at once agree on one end", async () => {
    const runId = await client.createRun(datasetId);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.finalize(runId, { status: index % 2 === 0 ? "completed" : "failed" }),
      ),
    );

    const statuses = new Set(answers.map((answer) => answer.body.status));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(statuses.size).toBe(1);
    expect(statuses).toContain((await client.readRun(runId)).status);
  });

  test("waits for results that are being judged, and takes no more meanwhile", async () => {
    const runId = await client.createRun(datasetId);
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(8);
    });
    const submitting = client.submit(runId, [buildResult(), buildResult()]);
    await until(() => expect(judge.atWork()).toBe(2));
    let isFinal = false;
    const finalizing = client.finalize(runId).then((answer) => {
      isFinal = true;
      return answer;
    });
    // A batch in which nothing is valid shows whether the run is open, and leaves nothing behind.
    await until(async () => expect((await client.submit(runId, [{}])).status).toBe(409));
    expect(await client.readRun(runId)).toMatchObject({ status: "in_progress", resultCount: 0 });
    expect(isFinal).toBe(false);

    gate.open();

    expect((await submitting).body).toMatchObject({ accepted: 2, liveStatistics: { averageRating: 8 } });
    expect((await finalizing).body).toMatchObject({ status: "completed", resultCount: 2, averageRating: 8 });
  });

  test("no result lands in a run that finalizes while batches race it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const runId = await client.createRun(datasetId);
      const submitting = Array.from({ length: 10 }, () => client.submit(runId, [buildResult(), buildResult()]));
      const finalized = await client.finalize(runId);
      const answers = await Promise.all(submitting);

      const accepted = answers.reduce((sum, answer) => sum + (answer.body.accepted ?? 0), 0);
      const run = await client.readRun(runId);
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      expect(run.status).toBe("completed");
      expect(run.resultCount).toBe(accepted);
      expect(finalized.body.resultCount).toBe(accepted);
    }
  });
});
