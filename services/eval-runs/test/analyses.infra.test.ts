import { type AnalysisNarrative, analysisStatus, analyzeRunReply, report, writeAnalysis } from "@touchstone/contracts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { until } from "./conditions.ts";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

type Asked = z.output<typeof writeAnalysis.body>;
type Reply = z.input<typeof writeAnalysis.reply>;

let client: ProjectClient;
let datasetId: string;
let asked: Asked[];
let write: (body: Asked) => Promise<Reply> | Reply;

const narrative: AnalysisNarrative = {
  summary: "Mostly right.",
  consistencyScore: 7.5,
  instructionAdherence: { score: 8, analysis: "Good.", deviations: ["one"], rating: "high" },
  responsePatterns: { similarities: [], differences: [], outliers: ["late"], rating: "medium" },
  reasoningAnalysis: { cotQuality: "n/a", reasoningPatterns: [], reasoningGaps: [], rating: "low" },
  toolUsageAnalysis: { effectiveness: "n/a", patterns: [], issues: [], rating: "medium" },
  recommendations: [{ category: "knowledge", priority: "high", recommendation: "Know more.", reasoning: "Gaps." }],
  overallAssessment: { strengths: ["fast"], weaknesses: [], rating: "medium" },
};

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(async () => {
  await judge.bus.answer(
    writeAnalysis,
    async (body) => {
      asked.push(body);
      return write(body);
    },
    { concurrency: 8 },
  );
});

const running = useService(system);

beforeEach(async () => {
  asked = [];
  write = () => ({ narrative, failure: null });
  // The answer is its own rating; an analysing judge is one point stricter.
  judge.behave(({ case: { output }, judges }) => {
    const isAnalysis = judges[0]?.id.startsWith("analysis") ?? false;
    return rate(Math.max(0, Number(output) - (isAnalysis ? 1 : 0)), `Rated ${output}.`);
  });
  judge.asked.length = 0;
  client = createProjectClient(running.address);
  datasetId = await client.createDataset({
    name: "Orders",
    acceptanceCriteria: "Names the day.",
    questions: Array.from({ length: 20 }, (_, index) => ({
      main_question: { query: `Question ${index}?`, expectedResults: `Answer ${index}.` },
    })),
  });
});

async function makeRun(ratings: readonly number[]): Promise<string> {
  const runId = await client.createRun(datasetId);
  for (let first = 0; first < ratings.length; first += 10) {
    const results = ratings.slice(first, first + 10).map((rating, index) => ({
      idempotencyKey: `${first + index}`,
      questionIndex: first + index,
      output: { text: String(rating) },
    }));
    expect((await client.submit(runId, results)).status).toBe(200);
  }
  return runId;
}

const analyze = (runId: string, body?: unknown) => client.send("POST", `/runs/${runId}/analyze`, body);
const readStatus = async (runId: string) =>
  analysisStatus.parse((await client.send("GET", `/runs/${runId}/analyze-status`)).body);
const readReport = (runId: string) => client.send("GET", `/runs/${runId}/report`);

const notAnalyzed = {
  status: 404,
  body: { error: "No analysis found for this run. POST /runs/:runId/analyze first." },
};

describe("analyzing a run", () => {
  test("stores the narrative, which the report then has", {
    tags: ["spec:analysis.create", "spec:report.summary", "spec:report.always"],
  }, async () => {
    const runId = await makeRun([9, 4, 8]);
    await client.submit(runId, [
      { idempotencyKey: "variant", questionIndex: 0, output: { text: "1" }, isSmokeTestVariant: true },
      { idempotencyKey: "failed", questionIndex: 3, error: { type: "Timeout", message: "too slow" } },
    ]);

    const answer = await analyze(runId);

    expect(answer.status).toBe(200);
    expect(analyzeRunReply.parse(answer.body)).toEqual({
      evaluationId: runId,
      jobId: runId,
      status: "completed",
      mode: "sync",
      qualityMode: "balanced",
    });
    const read = await readReport(runId);
    expect(read.status).toBe(200);
    expect(report.parse(read.body)).toEqual({
      ...narrative,
      instructionChanges: [],
      runId,
      datasetId,
      status: "completed",
      statistics: { numberOfRuns: 4, averageRating: 5.25, minRating: 0, maxRating: 9, ratingVariance: 12.6875 },
      lowScoringCases: [
        {
          query: "Question 3?",
          response: null,
          rating: 0,
          justification: "Case failed with error: Timeout: too slow",
        },
        { query: "Question 1?", response: "4", rating: 4, justification: "Rated 4." },
      ],
      failureReason: null,
      stale: false,
    });
    expect(await readStatus(runId)).toMatchObject({
      evaluationId: runId,
      jobId: runId,
      status: "completed",
      progress: { overallPercentage: 100 },
      failureReason: null,
    });
  });

  test("gives the judges the statistics, the criteria and the sample with their own ratings, worst first", async () => {
    const runId = await makeRun([9, 4, 8]);
    await analyze(runId, {
      judges: [{ model: "one" }, { model: "two" }, { model: "two" }, { model: "3" }, { model: "4" }],
    });

    expect(asked).toMatchObject([
      {
        projectId: client.projectId,
        model: "one",
        criteria: { acceptance: "Names the day.", rejection: null, evaluation: null },
        statistics: { numberOfRuns: 3, averageRating: 7 },
        sample: [
          { query: "Question 1?", expected: "Answer 1.", response: "4", rating: 4, justification: "Rated 4." },
          { rating: 8 },
          { rating: 9 },
        ],
      },
    ]);
    const rerated = judge.asked.filter(({ judges }) => judges[0]?.id.startsWith("analysis"));
    expect(rerated.map(({ judges }) => judges.map(({ model }) => model))).toEqual(Array(3).fill(["one", "two", "3"]));
    expect(asked[0]?.sample.map(({ reratings }) => reratings)).toEqual([[3], [7], [8]]);
  });

  test("reads 12 of the worst and 5 of the best of a long run", async () => {
    const ratings = Array.from({ length: 20 }, (_, index) => 10 - index / 2);
    await analyze(await makeRun(ratings));
    const worstFirst = ratings.toReversed();
    expect(asked[0]?.sample.map(({ rating }) => rating)).toEqual([...worstFirst.slice(0, 12), ...worstFirst.slice(-5)]);
  });

  test("is of results whose whole texts would not go into one message: it reads their beginnings", async () => {
    const runId = await client.createRun(datasetId);
    const long = {
      idempotencyKey: "long",
      input: { query: "q".repeat(100_000) },
      output: { text: "\u{1F600}".repeat(100_000) },
    };
    judge.behave(() => rate(3, "j".repeat(20_000)));
    await client.submit(runId, [{ ...long, questionIndex: 99 }]);

    expect((await analyze(runId)).body.status).toBe("completed");
    const [sampled] = asked[0]?.sample ?? [];
    for (const text of [sampled?.query, sampled?.response, sampled?.justification]) {
      expect(text?.length).toBeGreaterThan(4_000);
      expect(text?.length).toBeLessThanOrEqual(5_000);
      expect(text?.isWellFormed()).toBe(true);
    }
  });

  test("fails, with 200 and a reason, when nothing is rated, there is no answer or the answer is invalid", {
    tags: ["spec:analysis.states"],
  }, async () => {
    const empty = await client.createRun(datasetId);
    expect(await analyze(empty)).toMatchObject({ status: 200, body: { status: "failed" } });
    expect((await readReport(empty)).body).toEqual({
      runId: empty,
      datasetId,
      status: "failed",
      statistics: null,
      lowScoringCases: [],
      failureReason: {
        code: "ANALYSIS_FAILED",
        message: "No scored results yet - nothing to analyze.",
        retryable: true,
      },
      stale: false,
    });

    const runId = await makeRun([3]);
    write = () => ({ narrative: null, failure: { reason: "no_key", message: "It needs a key." } });
    expect((await analyze(runId)).body.status).toBe("failed");
    expect(await readStatus(runId)).toMatchObject({ status: "failed", failureReason: { message: "It needs a key." } });
    write = () => ({ narrative: null, failure: null });
    await analyze(runId);
    expect((await readReport(runId)).body).toMatchObject({
      status: "failed",
      lowScoringCases: [{ rating: 3 }],
      failureReason: { message: "Judge model returned no analysis." },
    });
  });

  test("of one run is refused while another is at work, whose predecessor stays readable", {
    tags: ["spec:analysis.409"],
  }, async () => {
    const runId = await makeRun([9]);
    await analyze(runId);
    let finish = (): void => {};
    write = () =>
      new Promise((resolve) => {
        finish = () => resolve({ narrative: { ...narrative, summary: "Second." }, failure: null });
      });
    const second = analyze(runId);
    await until(() => expect(asked).toHaveLength(2));

    expect(await analyze(runId)).toMatchObject({
      status: 409,
      body: { error: "Analysis already running for this run" },
    });
    expect(await readStatus(runId)).toMatchObject({ status: "running" });
    expect((await readReport(runId)).body).toMatchObject({ summary: "Mostly right." });

    finish();
    expect((await second).status).toBe(200);
    expect((await readReport(runId)).body).toMatchObject({ summary: "Second." });
  });

  test("goes to one of many callers at once", async () => {
    const runId = await makeRun([9]);
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    write = async () => {
      await finished;
      return { narrative, failure: null };
    };
    let refused = 0;
    const callers = Array.from({ length: 10 }, async () => {
      const { status } = await analyze(runId);
      if (status === 409) refused += 1;
      return status;
    });
    await until(() => expect(refused).toBe(9));
    finish();
    const statuses = (await Promise.all(callers)).sort();
    expect(statuses).toEqual([200, ...Array(9).fill(409)]);
    expect(asked).toHaveLength(1);
  });

  test("that was broken off can be started again when its lease is over", async () => {
    const runId = await makeRun([9]);
    await system.open("app").scoped([client.projectId], (transaction) =>
      transaction.query({
        name: "test_broken_analysis",
        text: `
          insert into evals.analyses (project_id, run_id, status, holder, lease_until, created_at)
          values ($1, $2, 'running', gen_random_uuid(), now() - interval '1 second', now())`,
        values: [client.projectId, runId],
      }),
    );
    expect(await readStatus(runId)).toMatchObject({
      status: "failed",
      failureReason: { message: "The analysis was broken off. Start it again." },
    });
    expect(await readReport(runId)).toMatchObject(notAnalyzed);
    expect((await analyze(runId)).body.status).toBe("completed");
  });

  test("shows the cases rated 5 or below as they are now, worst first, no paraphrase and nothing skipped among them", {
    tags: ["spec:report.lowScoringCases", "spec:limit.low-scoring"],
  }, async () => {
    const runId = await makeRun([5, 5.01, 10, 0]);
    const paraphrase = { idempotencyKey: "variant", questionIndex: 4, output: { text: "1" }, isSmokeTestVariant: true };
    await client.submit(runId, [paraphrase]);
    judge.behave(() => ({ ...rate(0), verdicts: [] }));
    await client.submit(runId, [{ idempotencyKey: "skipped", questionIndex: 5, output: { text: "0" } }]);
    expect((await client.readRun(runId)).liveStatistics).toMatchObject({ ratedCount: 4, skippedCount: 1 });
    judge.behave(() => rate(4.999, "Came later."));
    await analyze(runId);
    const zero = { query: "Question 3?", response: "0", rating: 0, justification: "Rated 0." };
    const five = { query: "Question 0?", response: "5", rating: 5, justification: "Rated 5." };
    expect((await readReport(runId)).body.lowScoringCases).toEqual([zero, five]);

    await client.submit(runId, [{ idempotencyKey: "later", questionIndex: 6, output: { text: "Late." } }]);

    const later = { query: "Question 6?", response: "Late.", rating: 4.999, justification: "Came later." };
    expect((await readReport(runId)).body).toMatchObject({
      statistics: { numberOfRuns: 5 },
      lowScoringCases: [zero, later, five],
    });
    expect(asked).toHaveLength(1);
  });

  test("is of the project's own runs", { tags: ["spec:report.404.run", "spec:report.404.analysis"] }, async () => {
    const runId = await makeRun([9]);
    const stranger = createProjectClient(running.address);
    const runNotFound = { status: 404, body: { error: "Run not found" } };
    expect(await readReport(runId)).toMatchObject(notAnalyzed);
    expect(await readStatus(runId)).toMatchObject({
      status: "not_started",
      jobId: null,
      progress: { overallPercentage: 0 },
    });
    for (const path of [`/runs/${runId}/report`, `/runs/${runId}/analyze-status`]) {
      expect(await stranger.send("GET", path)).toMatchObject(runNotFound);
    }
    expect(await stranger.send("POST", `/runs/${runId}/analyze`)).toMatchObject(runNotFound);
    expect(await analyze("none")).toMatchObject(runNotFound);
    expect(asked).toEqual([]);
  });

  test.for([
    [{ qualityMode: "best" }, 'qualityMode must be "balanced" or "quality_first"'],
    [{ judges: "gpt" }, "judges must be an array of { model }"],
    [{ judges: [{}] }, "judges must be an array of { model }"],
  ] as const)("refuses %j: %s", async ([body, error]) => {
    expect(await analyze(await makeRun([9]), body)).toMatchObject({ status: 400, body: { error } });
  });
});
