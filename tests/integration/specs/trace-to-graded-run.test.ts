import { createRunReply, dataset, submitResultsReply, usage } from "@touchstone/contracts";
import { buildDataset, buildResult, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { buildResults, createRun, gradeTracedRun, submitResults } from "../src/graded-run.ts";
import { type System, startSystem } from "../src/start-system.ts";
import { waitUntil } from "../src/wait-until.ts";

let llm: ScriptedLlm;
let system: System;
let client: ApiClient;

const evaluations = "/custom-agent-evaluations";

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startSystem({
    judges: 2,
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted", SERVICE_JUDGE_RETRIES: "0" },
  });
  client = createClient(system);
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

const submit = (runId: string, batchId: string, results: unknown[]) => submitResults(client, runId, batchId, results);

test("a recorded export becomes a listed trace, and a dataset becomes a graded run [spec:run.results.accepted]", async () => {
  llm.answerWith({ kind: "verdict", rating: 8, justification: "Names the day." });

  const { list, listed, detail, runId, first, second, finalized, graded } = await gradeTracedRun(client);
  expect(list.totalCount).toBe(1);
  expect(listed?.spanKind).toBe("agent");
  expect(detail.name).toBe(listed?.name);

  expect(first).toMatchObject({ accepted: 10, duplicates: 0, failedValidation: 0, status: "in_progress" });
  expect(second).toMatchObject({ accepted: 4, failedValidation: 1 });
  expect(first.scoredResults[0]).toMatchObject({
    rating: 8,
    justification: "Names the day.",
    status: "scored",
    jaccardSimilarity: 1,
  });

  expect(finalized).toMatchObject({ status: "completed", resultCount: 14 });

  expect(graded.status).toBe("completed");
  expect(graded.averageRating).toBeCloseTo((13 * 8) / 14);
  expect(graded.liveStatistics).toMatchObject({
    ratedCount: 14,
    skippedCount: 0,
    failedCount: 1,
    minRating: 0,
    maxRating: 8,
  });
  expect(graded.results).toHaveLength(14);
  expect(graded.results.filter((row) => row.status === "scored")).toHaveLength(13);
  expect(graded.results.find((row) => row.status === "failed")).toMatchObject({
    rating: 0,
    error: { type: "Timeout" },
  });
  expect(graded.results.some((row) => row.traceId === listed?._id)).toBe(true);

  // Counted in batches, every 2 s.
  const judgeCalls = llm.requests.filter(({ api }) => api !== "embeddings").length;
  await expect
    .poll(() => client.expect({ status: 200, schema: usage }, "GET", "/agent-monitoring/usage"), { timeout: 30_000 })
    .toMatchObject({
      traces: { used: 1, limit: null },
      onlineJudgeCalls: { used: 0, limit: null },
      judgeCalls: { used: judgeCalls, limit: null },
    });

  const late = await client.send("POST", `${evaluations}/runs/${runId}/results`, {
    batchId: "late",
    results: [buildResult()],
  });
  expect([late.status, late.body]).toEqual([409, { error: "Run is already in a terminal state" }]);
});

test("a replayed batch echoes the stored verdicts and judges nothing again [spec:run.results.duplicates]", async () => {
  llm.answerWith({ kind: "verdict", rating: 6, justification: "First." });
  const runId = await createRun(client);
  const batch = buildResults(runId, 3);
  const first = await submit(runId, "batch", batch);
  const asked = llm.requests.length;
  llm.answerWith({ kind: "verdict", rating: 1, justification: "Second." });

  const replay = await submit(runId, "batch", batch);

  expect(replay).toMatchObject({ accepted: 0, duplicates: 3 });
  expect(replay.scoredResults).toEqual(first.scoredResults.map((result) => ({ ...result, deduped: true })));
  expect(llm.requests.length).toBe(asked);
});

test("a gate tests scores that clients gave, by the trace of a result or by its case", async () => {
  llm.answerWith({ kind: "verdict", rating: 9, justification: "Fine." });
  const sendTrace = async (name: string): Promise<string> =>
    ((await client.send("POST", "/ingest/traces", { name })).body as { traceId: string }).traceId;
  const questions = Array.from({ length: 8 }, (_, index) => ({ main_question: { query: `Question ${index}?` } }));
  const made = await client.expect(
    { status: 201, schema: dataset },
    "POST",
    `${evaluations}/datasets`,
    buildDataset({ questions }),
  );
  const gradeRun = async (values: number[]): Promise<string> => {
    const runTraces = [await sendTrace("one"), await sendTrace("two")];
    const { runId } = await client.expect({ status: 201, schema: createRunReply }, "POST", `${evaluations}/runs`, {
      datasetId: made._id,
    });
    const results = values.map((_, questionIndex) =>
      buildResult({ questionIndex, traceId: runTraces[questionIndex] ?? null }),
    );
    await submit(runId, "batch", results);
    const scores = values.map((value, index) => ({
      ...{ name: "recall", value },
      ...(index < 2 ? { traceId: runTraces[index] } : { runId, caseId: `case-${index}`, runNumber: 1 }),
    }));
    expect((await client.send("POST", "/scores", scores)).status).toBe(201);
    await client.send("POST", `${evaluations}/runs/${runId}/finalize`);
    return runId;
  };
  const askGate = (runId: string, query: string) =>
    client.send("GET", `${evaluations}/runs/${runId}/gate?metric=recall&${query}`);

  await gradeRun([1, 0.8, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9]);
  const runId = await gradeRun([1, 0.8, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]);
  const { body } = await askGate(runId, "failUnder=0.4&noRegression=true&tolerance=0.05&method=paired&minEffect=0.1");
  expect(body).toMatchObject({
    gatedMetric: "recall",
    averageRating: 0.45,
    baselineAverage: 0.9,
    checks: [
      { check: "fail-under", passed: true, detail: 'The average of "recall" 0.45 is not below 0.4.' },
      { check: "no-regression", passed: false },
      { check: "paired", passed: false },
    ],
    paired: { outcome: "regressed", cases: 8 },
    passed: false,
  });
  const unknown = await client.send("GET", `${evaluations}/runs/${runId}/gate?metric=other&failUnder=1`);
  expect([unknown.status, unknown.body]).toEqual([
    400,
    { error: 'Unknown metric "other": the run has no numeric score of this name' },
  ]);
});

test("a judge that is killed halfway is replaced by another; with none left, results are skipped and the call is still 200", async () => {
  llm.answerWith({ kind: "verdict", rating: 9, justification: "Taken over.", delayMs: 1_500 });
  const runId = await createRun(client);
  const asked = llm.requests.length;
  const underway = submit(runId, "killed", buildResults(runId, 4));
  await waitUntil("the judges are at work", async () => llm.requests.length > asked);

  await system.judges[0]?.kill();
  const takenOver = await underway;

  expect(takenOver.accepted).toBe(4);
  expect(takenOver.scoredResults.map((result) => result.status)).toEqual(["scored", "scored", "scored", "scored"]);

  await system.judges[1]?.kill();
  const alone = await submit(runId, "no judge", buildResults(runId, 2, 4));

  expect(alone.accepted).toBe(2);
  for (const result of alone.scoredResults) {
    expect(result).toMatchObject({ status: "skipped", rating: null, justification: expect.stringMatching(/judge/i) });
  }

  await system.startJudge();
  await waitUntil("a new judge scores again", async () => {
    const probe = await submit(runId, "healed", buildResults(runId, 1, 100 + Math.floor(Math.random() * 1e6)));
    return probe.scoredResults[0]?.status === "scored";
  });
});

test("without a judge key, results are skipped with that reason, and similarity is still computed [spec:result.skipped]", async () => {
  const keyless = await startSystem();
  try {
    const own = createClient(keyless);
    const made = await own.expect(
      { status: 201, schema: dataset },
      "POST",
      `${evaluations}/datasets`,
      buildDataset({ rougeScore: { enabled: true } }),
    );
    const { runId } = await own.expect({ status: 201, schema: createRunReply }, "POST", `${evaluations}/runs`, {
      datasetId: made._id,
    });

    const answer = await own.expect(
      { status: 200, schema: submitResultsReply },
      "POST",
      `${evaluations}/runs/${runId}/results`,
      { batchId: "batch", results: [buildResult()] },
    );

    expect(answer.scoredResults[0]).toMatchObject({
      status: "skipped",
      rating: null,
      justification: expect.stringContaining("OPENAI_API_KEY"),
      rougeScore: 1,
    });
    expect(answer.liveStatistics).toMatchObject({ ratedCount: 0, skippedCount: 1, averageRating: null });
  } finally {
    await keyless.stop();
  }
});
