import { run as runSchema } from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import type { Call } from "@touchstone/service-kit";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { createDatasetStore } from "../src/datasets/dataset-store.ts";
import { createResultStore } from "../src/results/result-store.ts";
import { createDatasetNames } from "../src/runs/dataset-name-reader.ts";
import { createGradings } from "../src/runs/gradings.ts";
import { createKnownIntervals } from "../src/runs/known-intervals.ts";
import { getRun } from "../src/runs/routes.ts";
import { createRunStore } from "../src/runs/run-store.ts";
import { createRunShower } from "../src/runs/show-runs.ts";
import { rate } from "./fake-judge.ts";
import { createProjectClient } from "./project-client.ts";
import { useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);
const client = useProject(running);

beforeAll(async () => {
  datasetId = await client.createDataset(buildDataset());
});

beforeEach(() => {
  judge.behave(() => rate(7));
});

const create = (body: unknown) => client.send("POST", "/runs", body);

describe("creating a run", () => {
  test("answers 201 with the run's id and the limits for clients", { tags: ["spec:run.id"] }, async () => {
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
    [{ datasetId: "d", verdictMode: "fast" }, 400, 'verdictMode must be "live", "cache" or "replay"'],
    [{ datasetId: "d", evaluationSubject: [] }, 400, "evaluationSubject must be an object"],
    [{ datasetId: "d", split: 1 }, 400, "split must be a string"],
    [{ datasetId: "d", workspaceId: "01a20000-3f5b-7e0e-9b4e-1d2c3b4a5f60" }, 403, "Unauthorized workspace access"],
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

  test("accepts null, an empty list and the same scorer eleven times", async () => {
    const nulls = { evaluationSettingsId: null, scorerGroupId: null, evaluationSubject: null, verdictMode: "live" };
    expect((await create({ datasetId, ...nulls, additionalScorerIds: [] })).status).toBe(201);
    expect(await create({ datasetId, additionalScorerIds: Array(11).fill("same") })).toMatchObject({ status: 404 });
  });
});

describe("reading a run", () => {
  test("a run without results has zeros, nulls and empty lists", {
    tags: ["spec:run.get", "spec:run.datasetId"],
  }, async () => {
    const runId = await client.createRun(datasetId);

    const run = await client.readRun(runId);

    expect(run).toEqual({
      _id: runId,
      runId,
      datasetId,
      datasetName: "Orders",
      datasetVersion: 1,
      evaluationSettingsId: null,
      scorerGroupId: null,
      additionalScorerIds: null,
      scorerBreakdown: null,
      evaluationSubject: null,
      smokeTestVariants: null,
      status: "in_progress",
      runSource: "sdk",
      verdictMode: "live",
      scoringRevision: 0,
      resultCount: 0,
      averageRating: null,
      ratingInterval: null,
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
      askedCount: 2,
      ratingHistogram: Array.from({ length: 10 }, () => 0),
      skips: [],
      metrics: [],
      createdAt: expect.any(String),
    });
    expect(runSchema.safeParse(run).error).toBeUndefined();
  });

  test("the subject comes back letter by letter, with the split in it", {
    tags: ["spec:run.evaluationSubject"],
  }, async () => {
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

  test("orders results by question, run number, originals before variants, then as they were submitted", {
    tags: ["spec:run.results"],
  }, async () => {
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

  test("computes its statistics over rated results that are no variants", {
    tags: [
      "spec:run.resultCount",
      "spec:run.averageRating",
      "spec:run.liveStatistics",
      "spec:run.caseStatistics",
      "spec:run.skippedCount",
      "spec:run.failedCount",
      "spec:run.results.isSmokeTestVariant",
      "spec:result.isSmokeTestVariant",
    ],
  }, async () => {
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

  test("a thousand results are read with the statements of one, one for which they are, and one for the rest", async () => {
    const small = await client.createRun(datasetId);
    await client.submit(small, [buildResult()]);
    const large = await client.createRun(datasetId);
    for (let batch = 0; batch < 100; batch += 1) {
      const { status } = await client.submit(
        large,
        Array.from({ length: 10 }, () => buildResult()),
      );
      expect(status).toBe(200);
    }

    const ofSmall = await readCountingStatements(small);
    const ofLarge = await readCountingStatements(large);

    expect(ofLarge.run.results).toHaveLength(1000);
    expect(ofLarge.statements).toBe(ofSmall.statements + 1 + 1);
  });

  test("all its statistics come from one moment, even if results are stored while they are read", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult(), buildResult()]);
    const real = system.open("app");
    const interrupted: Database = {
      ...real,
      async readScoped(projectIds: readonly string[], asked: Statement | readonly Statement[]) {
        if ("text" in asked) return real.readScoped(projectIds, asked) as never;
        const answers: unknown[] = [];
        for (const statement of asked) {
          answers.push(await real.readScoped(projectIds, statement));
          await client.submit(runId, [buildResult(), buildResult()]);
        }
        return answers as never;
      },
    };

    const { liveStatistics, caseStatistics } = await readOver(interrupted, runId, { results: "none" });

    expect(caseStatistics[0]?.ratedCount).toBe(liveStatistics.ratedCount);
  });

  test("a run of another project is not found, nor can it be added to or finalized", {
    tags: ["spec:run.get.404", "spec:run.results.404"],
  }, async () => {
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

/** Reads a run over a database that counts. */
async function readCountingStatements(runId: string): Promise<{ run: { results: unknown[] }; statements: number }> {
  const real = system.open("app");
  let statements = 0;
  const counting: Database = {
    ...real,
    readScoped(projectIds: readonly string[], asked: Statement | readonly Statement[]) {
      statements += "text" in asked ? 1 : asked.length;
      return real.readScoped(projectIds, asked as Statement) as never;
    },
    scoped: (projectIds, work) =>
      real.scoped(projectIds, (transaction) =>
        work({
          ...transaction,
          query(statement) {
            statements += 1;
            return transaction.query(statement);
          },
        }),
      ),
  };
  return { run: await readOver(counting, runId), statements };
}

/** Reads a run through the route's own handler, over the given database. */
async function readOver(
  database: Database,
  runId: string,
  query: Call["query"] = {},
): Promise<z.infer<typeof runSchema>> {
  const runs = createRunStore(database);
  const gradings = createGradings({ datasets: createDatasetStore(database), runs });
  const shower = createRunShower({ names: createDatasetNames(database), gradings, isCiRun: async () => false });
  const results = createResultStore(database);
  const awaited = { ofRun: async () => {}, ofProject: async () => {} };
  const handle = getRun({ database, runs, results, gradings, awaited, shower, intervals: createKnownIntervals() });
  const { signal } = new AbortController();
  const call = { identity: { projectId: client.projectId }, params: { runId }, query, signal } as unknown as Call;
  const { body } = await handle(call);
  return JSON.parse(String(body));
}
