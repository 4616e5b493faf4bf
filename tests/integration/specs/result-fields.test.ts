import {
  analyzeRunReply,
  createRunReply,
  dataset,
  datasetList,
  report,
  run,
  submitResultsReply,
} from "@touchstone/contracts";
import { buildDataset, buildResult, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";

let llm: ScriptedLlm;
let system: CombinedSystem;
let client: ApiClient;
/** The judge's answer to a request for an analysis. */
let narrative: unknown;

const datasets = "/custom-agent-evaluations/datasets";
const runs = "/custom-agent-evaluations/runs";

beforeAll(async () => {
  llm = await startScriptedLlm();
  // The judge gives the rating that the answer asks for; an unreadable rating is skipped.
  llm.answerWith(({ prompt }) => {
    if (prompt.startsWith("Analyse the run.")) return { kind: "text", text: JSON.stringify(narrative) };
    const rating = /rate me (-?\d+)/.exec(prompt)?.[1];
    if (rating === undefined) return { kind: "text", text: "I would rather not say." };
    return { kind: "verdict", rating: Number(rating), justification: `Worth ${rating}.` };
  });
  system = await startCombined({
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
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("leaves out unset and disabled fields [spec:dataset.similarity] [spec:dataset.codeScorers]", async () => {
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
      ["_id", "createdAt", "name", "numberOfRequests", "questions", "status", "version"].toSorted(),
    );
    expect(listed[0]).toMatchObject({ numberOfRequests: 1, status: "published" });
  });

  test("uses the question's index to choose the expected answer and criteria of a result [spec:dataset.id] [spec:result.questionIndex] [spec:result.questionText] [spec:run.results.questionIndex]", async () => {
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
  test("of each status has the matching rating and reason [spec:result.status] [spec:result.rating] [spec:result.justification] [spec:result.scored] [spec:result.skipped] [spec:result.failed] [spec:result.error] [spec:limit.rating] [spec:run.skippedCount] [spec:run.failedCount]", async () => {
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

  test("keeps the submitted fields [spec:result.runNumber] [spec:result.input] [spec:result.output] [spec:result.traceId] [spec:result.timings] [spec:result.isSmokeTestVariant] [spec:result.smokeTestVariantText] [spec:result.batchId] [spec:run.results.timings] [spec:run.results.smokeTestVariantText] [spec:run.results.ignored]", async () => {
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

  test("has each enabled similarity, if there is an expected answer [spec:result.similarity]", async () => {
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

  test("of a paraphrase changes no aggregate but is counted [spec:run.results.isSmokeTestVariant] [spec:run.resultCount] [spec:run.averageRating] [spec:run.liveStatistics] [spec:run.caseStatistics]", async () => {
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

describe("a report", () => {
  /** The minimal answer of a model: the report computes the rest. */
  const bare = { summary: "Fair.", consistencyScore: 5, instructionAdherence: { score: 5 } };
  const unsaid = { similarities: [], differences: [], outliers: [], rating: "medium" };
  let runId: string;

  beforeAll(async () => {
    runId = await createRun();
    await submit(runId, [answer("rate me 8"), answer("rate me 5", { questionIndex: 1 })]);
  });

  async function analyze(written: unknown): Promise<Record<string, unknown>> {
    narrative = written;
    await client.expect({ status: 200, schema: analyzeRunReply }, "POST", `${runs}/${runId}/analyze`);
    const { status, body } = await client.send("GET", `${runs}/${runId}/report`);
    expect(status).toBe(200);
    report.parse(body);
    return body as Record<string, unknown>;
  }

  test.for([
    [7.25, 7.25],
    ["7.5", 7.5],
    [11, 10],
    [-3, 0],
  ])(
    "has a score of consistency from 0 to 10 when the model answers %j [spec:report.consistencyScore]",
    async ([said, shown]) => {
      expect(await analyze({ ...bare, consistencyScore: said })).toMatchObject({
        status: "completed",
        consistencyScore: shown,
      });
    },
  );

  test.for([
    ["no score of consistency", { ...bare, consistencyScore: "high" }],
    ["no score of adherence", { ...bare, instructionAdherence: { score: null, analysis: "Good.", rating: "high" } }],
    ["no summary", { ...bare, summary: ["Fair."] }],
    ["no object", ["Fair.", 5]],
  ])(
    "has no narrative, rather than an invented one, when the model answers %s [spec:report.consistencyScore] [spec:report.instructionAdherence]",
    async ([, said]) => {
      const read = await analyze(said);
      expect(Object.keys(read).toSorted()).toEqual(
        ["datasetId", "failureReason", "lowScoringCases", "runId", "stale", "statistics", "status"].toSorted(),
      );
      expect(read).toMatchObject({ status: "failed", statistics: { numberOfRuns: 2, averageRating: 6.5 } });
    },
  );

  test("has the score, analysis, deviations and rating of adherence, and ignores unknown members [spec:report.instructionAdherence]", async () => {
    const deviations = ["No day.", "", 7, null, { text: "no" }, ["x"], " Too long. "];
    const said = { score: "12", analysis: " Mostly. ", deviations, rating: "HIGH ", grade: "A" };
    expect((await analyze({ ...bare, instructionAdherence: said })).instructionAdherence).toEqual({
      score: 10,
      analysis: "Mostly.",
      deviations: ["No day.", "Too long."],
      rating: "high",
    });
    expect((await analyze(bare)).instructionAdherence).toEqual({
      score: 5,
      analysis: "",
      deviations: [],
      rating: "medium",
    });
  });

  test("has similarities, differences, outliers and a rating of the responses [spec:report.responsePatterns]", async () => {
    const said = { similarities: ["Short."], differences: ["Tone."], outliers: ["One list."], rating: "low" };
    expect((await analyze({ ...bare, responsePatterns: said })).responsePatterns).toEqual(said);
    const wrong = { similarities: "Short.", differences: [1], outliers: { 0: "x" }, rating: "very high", more: 1 };
    for (const hostile of [wrong, [], "Short.", null]) {
      expect((await analyze({ ...bare, responsePatterns: hostile })).responsePatterns).toEqual(unsaid);
    }
  });

  test("has the quality, patterns, gaps and rating of the reasoning [spec:report.reasoningAnalysis]", async () => {
    const said = { cotQuality: "Sound.", reasoningPatterns: ["Looks up."], reasoningGaps: ["Dates."], rating: "high" };
    expect((await analyze({ ...bare, reasoningAnalysis: said })).reasoningAnalysis).toEqual(said);
    const wrong = { cotQuality: 9, reasoningPatterns: [[], "Looks up."], reasoningGaps: null, rating: 9, extra: {} };
    expect((await analyze({ ...bare, reasoningAnalysis: wrong })).reasoningAnalysis).toEqual({
      cotQuality: "",
      reasoningPatterns: ["Looks up."],
      reasoningGaps: [],
      rating: "medium",
    });
  });

  test("has the effectiveness, patterns, issues and rating of the use of tools [spec:report.toolUsageAnalysis]", async () => {
    const said = { effectiveness: "Good.", patterns: ["Search first."], issues: ["Retries."], rating: "medium" };
    expect((await analyze({ ...bare, toolUsageAnalysis: said })).toolUsageAnalysis).toEqual(said);
    const wrong = { effectiveness: ["Good."], patterns: false, issues: [null, "Retries."], rating: "Low", tools: 3 };
    expect((await analyze({ ...bare, toolUsageAnalysis: wrong })).toolUsageAnalysis).toEqual({
      effectiveness: "",
      patterns: [],
      issues: ["Retries."],
      rating: "low",
    });
  });

  test("has recommendations of known categories and priorities only [spec:report.recommendations]", async () => {
    const known = ["instructions", "tools", "knowledge", "reasoning", "consistency", "other"];
    const good = known.map((category, index) => ({
      category,
      priority: ["high", "medium", "low"][index % 3],
      recommendation: `Mend ${category}.`,
      reasoning: "It fails.",
    }));
    const hostile = [
      { category: "prompting", priority: "urgent", recommendation: "a", reasoning: 7, effort: "small" },
      { category: ["tools"], priority: 1, recommendation: "b" },
      { category: "tools", priority: "high", reasoning: "It says what for, not what." },
      "c",
      7,
      null,
    ];
    expect((await analyze({ ...bare, recommendations: [...good, ...hostile] })).recommendations).toEqual([
      ...good,
      ...["a", "b", "c"].map((recommendation) => ({
        category: "other",
        priority: "medium",
        recommendation,
        reasoning: "",
      })),
    ]);
    expect((await analyze({ ...bare, recommendations: { 0: good[0] } })).recommendations).toEqual([]);
  });

  test("proposes no change of instructions, whatever the model proposes [spec:report.instructionChanges]", async () => {
    expect((await analyze(bare)).instructionChanges).toEqual([]);
    expect((await analyze({ ...bare, instructionChanges: ["Say the day."] })).instructionChanges).toEqual([]);
  });

  test("has strengths, weaknesses and an overall rating, and only members of the report [spec:report.overallAssessment]", async () => {
    const said = { strengths: ["Facts."], weaknesses: ["Dates."], rating: "low" };
    const stray = { runId: "another", status: "failed", lowScoringCases: [], verdict: "ok" };
    const read = await analyze({ ...stray, ...bare, overallAssessment: { ...said, score: 9 } });
    expect(read.overallAssessment).toEqual(said);
    expect(read).toMatchObject({ runId, status: "completed", lowScoringCases: [{ rating: 5 }] });
    expect(read).not.toHaveProperty("verdict");
    expect((await analyze({ ...bare, overallAssessment: "Fair." })).overallAssessment).toEqual({
      strengths: [],
      weaknesses: [],
      rating: "medium",
    });
  });
});
