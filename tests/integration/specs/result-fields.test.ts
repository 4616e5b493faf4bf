import { datasetList } from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, datasets, type RatingSystem, runs, startRatingSystem } from "../src/rating-system.ts";

let system: RatingSystem;

beforeAll(async () => {
  system = await startRatingSystem();
});

afterAll(() => system?.stop());

describe("a dataset", () => {
  const everything = {
    name: "Orders",
    description: "What customers ask.",
    numberOfRequests: 3,
    acceptanceCriteria: "Names the day.",
    rejectionCriteria: "Promises too much.",
    evaluationCriteria: "Short is good.",
    vectorSimilarity: { enabled: true, model: "local-hash" },
    jaccardSimilarity: { enabled: true },
    bleuScore: { enabled: true },
    rougeScore: { enabled: true },
    codeScorers: [{ id: "length", name: "Length", code: "return 1" }],
    questions: [
      {
        main_question: {
          query: "Where is my order?",
          expectedResults: "On Tuesday.",
          judgeGuideline: "Be strict.",
          retrievalContext: ["Orders ship on Monday."],
        },
        paraphrases: ["Where's my parcel?"],
      },
    ],
  };

  test("is listed whole, with every field that was set", {
    tags: [
      "spec:dataset.name",
      "spec:dataset.description",
      "spec:dataset.numberOfRequests",
      "spec:dataset.acceptanceCriteria",
      "spec:dataset.rejectionCriteria",
      "spec:dataset.evaluationCriteria",
      "spec:dataset.similarity",
      "spec:dataset.codeScorers",
      "spec:dataset.questions",
      "spec:datasets.list",
    ],
  }, async () => {
    const id = await system.createDataset(everything);

    const { body } = await system.client.send("GET", datasets);

    const [newest] = (body as { datasets: Record<string, unknown>[] }).datasets;
    expect(newest).toEqual({
      _id: id,
      ...everything,
      status: "published",
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("leaves out unset and disabled fields", {
    tags: ["spec:dataset.similarity", "spec:dataset.codeScorers"],
  }, async () => {
    const off = { enabled: false };
    await system.createDataset({
      name: "Bare",
      vectorSimilarity: off,
      jaccardSimilarity: off,
      bleuScore: off,
      rougeScore: off,
    });

    const { datasets: listed } = await system.client.expect({ status: 200, schema: datasetList }, "GET", datasets);
    expect(Object.keys(listed[0] ?? {}).toSorted()).toEqual(
      ["_id", "createdAt", "name", "numberOfRequests", "questions", "status", "version"].toSorted(),
    );
    expect(listed[0]).toMatchObject({ numberOfRequests: 1, status: "published" });
  });

  test("uses the question's index to choose the expected answer and criteria of a result", {
    tags: [
      "spec:dataset.id",
      "spec:result.questionIndex",
      "spec:result.questionText",
      "spec:run.results.questionIndex",
    ],
  }, async () => {
    const runId = await system.createRun({ ...buildDataset(), jaccardSimilarity: { enabled: true } });
    const { scoredResults } = await system.submit(runId, [
      answer("Yes, within 30 days.", { questionIndex: 0, input: null }),
      answer("Yes, within 30 days.", { questionIndex: 1, input: null }),
    ]);

    expect(scoredResults[0]?.jaccardSimilarity).toBeLessThan(1);
    expect(scoredResults[1]?.jaccardSimilarity).toBe(1);
    const { results } = await system.readRun(runId);
    expect(results.map(({ questionIndex, questionText }) => [questionIndex, questionText])).toEqual([
      [0, "Where is my order?"],
      [1, "Can I return it?"],
    ]);
    const prompts = system.llm.requests.slice(-2).map(({ prompt }) => prompt);
    expect(prompts.filter((prompt) => prompt.includes("Can I return it?"))).toHaveLength(1);
  });
});

describe("a result row", () => {
  test("of each status has the matching rating and reason", {
    tags: [
      "spec:result.status",
      "spec:result.rating",
      "spec:result.justification",
      "spec:result.scored",
      "spec:result.skipped",
      "spec:result.failed",
      "spec:result.error",
      "spec:limit.rating",
      "spec:run.skippedCount",
      "spec:run.failedCount",
    ],
  }, async () => {
    const runId = await system.createRun();
    const error = { type: "Timeout", message: "no answer in 30 s" };

    const { liveStatistics } = await system.submit(runId, [
      answer("rate me 8", { runNumber: 1 }),
      answer("rate me 99", { runNumber: 2 }),
      answer("rate me -4", { runNumber: 3 }),
      answer("not a number", { runNumber: 4 }),
      buildResult({ runNumber: 5, output: null, error }),
    ]);

    const { results } = await system.readRun(runId);
    expect(results.map((row) => [row.status, row.rating, row.error])).toEqual([
      ["scored", 8, null],
      ["scored", 10, null],
      ["scored", 0, null],
      ["skipped", null, null],
      ["failed", 0, error],
    ]);
    expect(results[0]?.justification).toBe("Worth 8.");
    expect(results[3]?.justification).toMatch(/judge/i);
    expect(liveStatistics).toEqual({
      averageRating: (8 + 10 + 0 + 0) / 4,
      minRating: 0,
      maxRating: 10,
      ratedCount: 4,
      skippedCount: 1,
      failedCount: 1,
    });
  });

  test("keeps the submitted fields", {
    tags: [
      "spec:result.runNumber",
      "spec:result.input",
      "spec:result.output",
      "spec:result.traceId",
      "spec:result.timings",
      "spec:result.isSmokeTestVariant",
      "spec:result.smokeTestVariantText",
      "spec:result.batchId",
      "spec:run.results.timings",
      "spec:run.results.smokeTestVariantText",
      "spec:run.results.ignored",
    ],
  }, async () => {
    const runId = await system.createRun(buildDataset({ numberOfRequests: 2 }));
    const sent = {
      runNumber: 2,
      input: { query: "Where's my parcel?" },
      output: { text: "rate me 7" },
      traceId: "a trace",
      isSmokeTestVariant: true,
      smokeTestVariantText: "Where's my parcel?",
    };
    const ignored = { observableTrace: { spans: [] }, metadata: { team: "a" } };
    const timings = { latencyMs: 420.5, inputTokens: 120, outputTokens: 12 };
    await system.submit(runId, [buildResult({ ...sent, timings, ...ignored }), answer("rate me 7")], "the batch");

    const { body } = await system.client.send("GET", `${runs}/${runId}`);
    const [plain, variant] = (body as { results: Record<string, unknown>[] }).results;
    expect(variant).toMatchObject({ ...sent, ...timings, batchId: "the batch" });
    expect(plain).toMatchObject({
      runNumber: 1,
      traceId: null,
      latencyMs: null,
      inputTokens: null,
      outputTokens: null,
      isSmokeTestVariant: false,
      smokeTestVariantText: null,
      batchId: "the batch",
    });
    for (const field of Object.keys(ignored)) expect(variant).not.toHaveProperty(field);
  });

  test("has each enabled similarity, if there is an expected answer", {
    tags: ["spec:result.similarity"],
  }, async () => {
    const metrics = ["vectorSimilarity", "jaccardSimilarity", "bleuScore", "rougeScore"] as const;
    const expecting = { main_question: { query: "q", expectedResults: "On Tuesday it arrives here." } };
    const questions = [expecting, { main_question: { query: "q" } }];
    for (const metric of metrics) {
      const runId = await system.createRun({
        name: metric,
        questions,
        [metric]: { enabled: true, model: "local-hash" },
      });
      const same = { output: { text: "On Tuesday it arrives here." } };
      await system.submit(runId, [buildResult(same), buildResult({ ...same, questionIndex: 1 })]);

      const { results } = await system.readRun(runId);
      expect([metric, results[0]?.[metric]]).toEqual([metric, expect.closeTo(1, 6)]);
      for (const other of metrics.filter((name) => name !== metric)) expect(results[0]).not.toHaveProperty(other);
      for (const name of metrics) expect(results[1]).not.toHaveProperty(name);
    }
  });

  test("of a paraphrase changes no aggregate but is counted", {
    tags: [
      "spec:run.results.isSmokeTestVariant",
      "spec:run.resultCount",
      "spec:run.averageRating",
      "spec:run.liveStatistics",
      "spec:run.caseStatistics",
    ],
  }, async () => {
    const runId = await system.createRun();
    await system.submit(runId, [
      answer("rate me 8"),
      answer("rate me 4"),
      answer("rate me 0", { isSmokeTestVariant: true }),
      answer("rate me 9", { questionIndex: 1 }),
      answer("rate me 1", { questionIndex: 1, isSmokeTestVariant: true }),
    ]);

    expect(await system.readRun(runId)).toMatchObject({
      resultCount: 5,
      averageRating: 7,
      liveStatistics: { averageRating: 7, minRating: 4, maxRating: 9, ratedCount: 3 },
      caseStatistics: [
        { questionIndex: 0, ratedCount: 2, averageRating: 6, minRating: 4, maxRating: 8, ratingVariance: 4 },
      ],
    });
  });
});
