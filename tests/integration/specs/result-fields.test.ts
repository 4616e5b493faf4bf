import { createRunReply, dataset, datasetList, run, submitResultsReply } from "@touchstone/contracts";
import { buildDataset, buildResult, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";

let llm: ScriptedLlm;
let system: System;
let client: ApiClient;

const datasets = "/custom-agent-evaluations/datasets";
const runs = "/custom-agent-evaluations/runs";

beforeAll(async () => {
  llm = await startScriptedLlm();
  // The judge rates an answer as the answer asks to be rated; what it cannot read as a verdict it skips.
  llm.answerWith(({ prompt }) => {
    const rating = /rate me (-?\d+)/.exec(prompt)?.[1];
    if (rating === undefined) return { kind: "text", text: "I would rather not say." };
    return { kind: "verdict", rating: Number(rating), justification: `Worth ${rating}.` };
  });
  system = await startSystem({
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted", SERVICE_JUDGE_RETRIES: "0" },
  });
  client = createClient(system);
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

const createDataset = (body: unknown) =>
  client.expect({ status: 201, schema: dataset }, "POST", datasets, body).then(({ _id }) => _id);

async function createRun(body: unknown = buildDataset()): Promise<string> {
  const datasetId = await createDataset(body);
  return (await client.expect({ status: 201, schema: createRunReply }, "POST", runs, { datasetId })).runId;
}

const submit = (runId: string, results: unknown[], batchId = "batch") =>
  client.expect({ status: 200, schema: submitResultsReply }, "POST", `${runs}/${runId}/results`, { batchId, results });

const readRun = (runId: string) => client.expect({ status: 200, schema: run }, "GET", `${runs}/${runId}`);

const answer = (text: string, more = {}) => buildResult({ output: { text }, ...more });

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

  test("is listed whole, with every field that was set [spec:dataset.name] [spec:dataset.description] [spec:dataset.numberOfRequests] [spec:dataset.acceptanceCriteria] [spec:dataset.rejectionCriteria] [spec:dataset.evaluationCriteria] [spec:dataset.similarity] [spec:dataset.codeScorers] [spec:dataset.questions] [spec:datasets.list]", async () => {
    const id = await createDataset(everything);

    const { body } = await client.send("GET", datasets);

    const [newest] = (body as { datasets: Record<string, unknown>[] }).datasets;
    expect(newest).toEqual({
      _id: id,
      ...everything,
      status: "published",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("leaves out what was not set or is switched off [spec:dataset.similarity] [spec:dataset.codeScorers]", async () => {
    const off = { enabled: false };
    await createDataset({
      name: "Bare",
      vectorSimilarity: off,
      jaccardSimilarity: off,
      bleuScore: off,
      rougeScore: off,
    });

    const { datasets: listed } = await client.expect({ status: 200, schema: datasetList }, "GET", datasets);
    expect(Object.keys(listed[0] ?? {}).toSorted()).toEqual(
      ["_id", "createdAt", "name", "numberOfRequests", "questions", "status"].toSorted(),
    );
    expect(listed[0]).toMatchObject({ numberOfRequests: 1, status: "published" });
  });

  test("decides by the question's index what a result is compared and judged with [spec:dataset.id] [spec:result.questionIndex] [spec:result.questionText] [spec:run.results.questionIndex]", async () => {
    const runId = await createRun({ ...buildDataset(), jaccardSimilarity: { enabled: true } });
    const { scoredResults } = await submit(runId, [
      answer("Yes, within 30 days.", { questionIndex: 0, input: null }),
      answer("Yes, within 30 days.", { questionIndex: 1, input: null }),
    ]);

    expect(scoredResults[0]?.jaccardSimilarity).toBeLessThan(1);
    expect(scoredResults[1]?.jaccardSimilarity).toBe(1);
    const { results } = await readRun(runId);
    expect(results.map(({ questionIndex, questionText }) => [questionIndex, questionText])).toEqual([
      [0, "Where is my order?"],
      [1, "Can I return it?"],
    ]);
    const prompts = llm.requests.slice(-2).map(({ prompt }) => prompt);
    expect(prompts.filter((prompt) => prompt.includes("Can I return it?"))).toHaveLength(1);
  });
});

describe("a result row", () => {
  test("of each status has the rating and the reason that go with it [spec:result.status] [spec:result.rating] [spec:result.justification] [spec:result.scored] [spec:result.skipped] [spec:result.failed] [spec:result.error] [spec:limit.rating] [spec:run.skippedCount] [spec:run.failedCount]", async () => {
    const runId = await createRun();
    const error = { type: "Timeout", message: "no answer in 30 s" };

    const { liveStatistics } = await submit(runId, [
      answer("rate me 8", { runNumber: 1 }),
      answer("rate me 99", { runNumber: 2 }),
      answer("rate me -4", { runNumber: 3 }),
      answer("not a number", { runNumber: 4 }),
      buildResult({ runNumber: 5, output: null, error }),
    ]);

    const { results } = await readRun(runId);
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

  test("keeps what was submitted with it [spec:result.runNumber] [spec:result.input] [spec:result.output] [spec:result.traceId] [spec:result.timings] [spec:result.isSmokeTestVariant] [spec:result.smokeTestVariantText] [spec:result.batchId] [spec:run.results.timings] [spec:run.results.smokeTestVariantText] [spec:run.results.ignored]", async () => {
    const runId = await createRun(buildDataset({ numberOfRequests: 2 }));
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
    await submit(runId, [buildResult({ ...sent, timings, ...ignored }), answer("rate me 7")], "the batch");

    const { body } = await client.send("GET", `${runs}/${runId}`);
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

  test("has each similarity that is switched on, where something is expected [spec:result.similarity]", async () => {
    const metrics = ["vectorSimilarity", "jaccardSimilarity", "bleuScore", "rougeScore"] as const;
    const expecting = { main_question: { query: "q", expectedResults: "On Tuesday it arrives here." } };
    const questions = [expecting, { main_question: { query: "q" } }];
    for (const metric of metrics) {
      const runId = await createRun({ name: metric, questions, [metric]: { enabled: true, model: "local-hash" } });
      const same = { output: { text: "On Tuesday it arrives here." } };
      await submit(runId, [buildResult(same), buildResult({ ...same, questionIndex: 1 })]);

      const { results } = await readRun(runId);
      expect([metric, results[0]?.[metric]]).toEqual([metric, expect.closeTo(1, 6)]);
      for (const other of metrics.filter((name) => name !== metric)) expect(results[0]).not.toHaveProperty(other);
      for (const name of metrics) expect(results[1]).not.toHaveProperty(name);
    }
  });

  test("of a paraphrase moves no aggregate and is counted all the same [spec:run.results.isSmokeTestVariant] [spec:run.resultCount] [spec:run.averageRating] [spec:run.liveStatistics] [spec:run.caseStatistics]", async () => {
    const runId = await createRun();
    await submit(runId, [
      answer("rate me 8"),
      answer("rate me 4"),
      answer("rate me 0", { isSmokeTestVariant: true }),
      answer("rate me 9", { questionIndex: 1 }),
      answer("rate me 1", { questionIndex: 1, isSmokeTestVariant: true }),
    ]);

    expect(await readRun(runId)).toMatchObject({
      resultCount: 5,
      averageRating: 7,
      liveStatistics: { averageRating: 7, minRating: 4, maxRating: 9, ratedCount: 3 },
      caseStatistics: [
        { questionIndex: 0, ratedCount: 2, averageRating: 6, minRating: 4, maxRating: 8, ratingVariance: 4 },
      ],
    });
  });
});
