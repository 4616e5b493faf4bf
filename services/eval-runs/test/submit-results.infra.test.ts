import { submitResultsReply } from "@touchstone/contracts";
import { buildResult } from "@touchstone/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let runId: string;

const questions = [
  {
    main_question: {
      query: "Where is my order?",
      expectedResults: "On Tuesday.",
      judgeGuideline: "Be strict.",
      retrievalContext: ["Orders ship on Monday.", "Shipping takes a day."],
    },
  },
  { main_question: { query: "Can I return it?", expectedResults: " ", judgeGuideline: "" } },
];
const dataset = {
  name: "Orders",
  acceptanceCriteria: "Names the day.",
  evaluationCriteria: "Short is good.",
  jaccardSimilarity: { enabled: true },
  vectorSimilarity: { enabled: true, model: "local-hash" },
  questions,
};

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

beforeEach(async () => {
  judge.behave(() => rate(7));
  judge.asked.length = 0;
  client = createProjectClient(running.address);
  runId = await client.createRun(await client.createDataset(dataset));
});

const output = (text: string) => ({ output: { text } });

describe("one result", () => {
  test("is answered and stored with everything that was submitted and found out", {
    tags: [
      "spec:result.scored",
      "spec:result.questionText",
      "spec:result.input",
      "spec:result.output",
      "spec:result.rating",
      "spec:result.justification",
      "spec:result.traceId",
      "spec:result.timings",
      "spec:result.status",
      "spec:result.batchId",
      "spec:run.results.input",
      "spec:run.results.ignored",
      "spec:run.results.runId",
      "spec:run.results.batchId-echo",
      "spec:run.results.status",
      "spec:run.results.liveStatistics",
    ],
  }, async () => {
    judge.behave(() => ({ ...rate(8.5, "Good."), similarity: { jaccard: 0.25, vector: null } }));
    const { status, body } = await client.submit(
      runId,
      [
        {
          idempotencyKey: "k-1",
          questionIndex: 0,
          runNumber: 2,
          input: { query: "Where's my order?", channel: "mail" },
          output: { text: "Tuesday." },
          traceId: "trace-1",
          timings: { latencyMs: 12.5, inputTokens: 10, outputTokens: null },
          metadata: { ignored: true },
          observableTrace: {},
          smokeTestVariantText: null,
        },
      ],
      "batch-9",
    );

    expect(status).toBe(200);
    const liveStatistics = {
      averageRating: 8.5,
      minRating: 8.5,
      maxRating: 8.5,
      ratedCount: 1,
      skippedCount: 0,
      failedCount: 0,
    };
    expect(body).toEqual({
      runId,
      batchId: "batch-9",
      accepted: 1,
      duplicates: 0,
      failedValidation: 0,
      status: "in_progress",
      scoredResults: [
        {
          idempotencyKey: "k-1",
          rating: 8.5,
          justification: "Good.",
          status: "scored",
          jaccardSimilarity: 0.25,
          vectorSimilarity: null,
          bleuScore: null,
          rougeScore: null,
          codeScorerResults: null,
          judgeScorerResults: null,
        },
      ],
      liveStatistics,
    });
    expect(submitResultsReply.safeParse(body).error).toBeUndefined();
    expect((await client.readRun(runId)).results).toEqual([
      {
        _id: expect.any(String),
        skipCode: null,
        questionIndex: 0,
        questionText: "Where is my order?",
        runNumber: 2,
        input: { query: "Where's my order?" },
        output: { text: "Tuesday." },
        rating: 8.5,
        justification: "Good.",
        traceId: "trace-1",
        latencyMs: 12.5,
        inputTokens: 10,
        outputTokens: null,
        jaccardSimilarity: 0.25,
        vectorSimilarity: null,
        codeScorerResults: null,
        judgeScorerResults: null,
        isSmokeTestVariant: false,
        smokeTestVariantText: null,
        status: "scored",
        error: null,
        batchId: "batch-9",
        verdictSource: "live",
        verdictId: null,
      },
    ]);
  });

  test("needs no more than a key and an output", {
    tags: [
      "spec:result.questionIndex",
      "spec:result.runNumber",
      "spec:run.results.questionIndex",
      "spec:run.results.runNumber",
    ],
  }, async () => {
    await client.submit(runId, [{ idempotencyKey: "k", output: { text: "" } }]);

    expect((await client.readRun(runId)).results[0]).toMatchObject({
      questionIndex: 0,
      runNumber: 1,
      questionText: "Where is my order?",
      input: null,
      output: { text: "" },
      traceId: null,
      latencyMs: null,
      isSmokeTestVariant: false,
    });
    expect(judge.asked[0]?.case).toMatchObject({ input: "Where is my order?", output: "" });
  });

  test("is judged by the criteria of its dataset and the inputs of its case", async () => {
    await client.submit(runId, [buildResult({ input: { query: "Where?" }, ...output("Tuesday.") })]);

    expect(judge.asked).toEqual([
      {
        projectId: client.projectId,
        organizationId: null,
        judges: [
          {
            id: "primary",
            scorerId: expect.any(String),
            name: expect.any(String),
            model: null,
            acceptanceCriteria: "Names the day.",
            rejectionCriteria: null,
            evaluationCriteria: "Short is good.",
            requiresExpected: false,
            judgePrompt: null,
            toolContext: "simple",
          },
        ],
        case: {
          input: "Where?",
          output: "Tuesday.",
          expected: "On Tuesday.",
          context: "[chunk 1] Orders ship on Monday.\n\n[chunk 2] Shipping takes a day.",
          guideline: "Be strict.",
          expectedCapabilities: [],
          expectedKnowledgeBase: [],
          expectedDelegations: [],
          trajectory: null,
        },
        similarity: { jaccard: true, bleu: false, rouge: false, vector: { model: "local-hash" } },
        verdictMode: "live",
        runNumber: 1,
        group: null,
        deterministic: { codeScorers: [], trajectoryMatch: null, contextMatch: null },
      },
    ]);
  });

  test("brings its own retrieval context, which wins over the pinned one", async () => {
    await client.submit(runId, [buildResult({ retrievalContext: "x".repeat(12_001) })]);
    await client.submit(runId, [buildResult({ retrievalContext: [] })]);

    expect(judge.asked[0]?.case.context).toBe(`${"x".repeat(12_000)}... [cut after 12000 characters]`);
    expect(judge.asked[1]?.case.context).toContain("Orders ship on Monday.");
  });

  test("has no metrics when its case expects nothing, and no case when its question does not exist", {
    tags: ["spec:result.similarity"],
  }, async () => {
    const { body } = await client.submit(runId, [
      buildResult({ questionIndex: 1 }),
      buildResult({ questionIndex: 99, input: null }),
      buildResult({ questionIndex: -1 }),
    ]);

    const nothing = { vectorSimilarity: null, jaccardSimilarity: null, bleuScore: null, rougeScore: null };
    for (const scored of body.scoredResults) expect(scored).toMatchObject(nothing);
    const { results } = await client.readRun(runId);
    expect(results.map((row: { questionText: string }) => row.questionText)).toEqual([null, "Can I return it?", null]);
    for (const row of results) expect(row).not.toHaveProperty("vectorSimilarity");
    const cases = new Map(judge.asked.map((asked) => [asked.case.guideline ?? asked.case.input, asked.case]));
    expect(cases.get("")).toMatchObject({ expected: null, context: null, guideline: null });
    for (const asked of judge.asked) {
      expect(asked.case.expected).toBeNull();
      expect(asked.similarity).toEqual({ jaccard: false, bleu: false, rouge: false, vector: null });
    }
  });

  test("submitted with an error is failed, rated 0, and never judged", {
    tags: ["spec:result.failed", "spec:result.error", "spec:run.results.error"],
  }, async () => {
    const { body } = await client.submit(runId, [
      buildResult({ output: null, error: { type: "Timeout", message: "no answer in 30 s" } }),
      buildResult({ error: {} }),
    ]);

    expect(body).toMatchObject({ accepted: 2, liveStatistics: { ratedCount: 2, failedCount: 2, averageRating: 0 } });
    expect(body.scoredResults).toMatchObject([
      {
        rating: 0,
        status: "failed",
        justification: "Case failed with error: Timeout: no answer in 30 s",
        jaccardSimilarity: null,
      },
      { rating: 0, status: "failed", justification: "Case failed with error: Error: no message" },
    ]);
    expect(judge.asked).toHaveLength(0);
    expect((await client.readRun(runId)).results).toMatchObject([
      { error: { type: "Timeout", message: "no answer in 30 s" }, output: null },
      { error: {}, output: { text: "It arrives on Tuesday." } },
    ]);
  });

  test("that the judge skips, as for a spent quota, is answered 200 with the judge's reason and its metrics", {
    tags: ["spec:result.skipped", "spec:result.justification", "spec:429.judge"],
  }, async () => {
    const verdict = { judgeId: "primary", status: "skipped", rating: null, reason: "quota", model: null } as const;
    const spent =
      "Daily judge-call quota reached (5/day). Quota resets at midnight UTC; raise SERVICE_QUOTA_JUDGE_CALLS_PER_DAY to change the ceiling.";
    judge.behave(() => ({
      verdicts: [{ ...verdict, justification: spent, durationMs: 0 }],
      similarity: { jaccard: 1, vector: 0.5 },
    }));

    const { status, body } = await client.submit(runId, [buildResult()]);

    expect(status).toBe(200);
    expect(body.scoredResults).toMatchObject([
      {
        rating: null,
        status: "skipped",
        justification: spent,
        jaccardSimilarity: 1,
        vectorSimilarity: 0.5,
      },
    ]);
    expect(await running.metricsText()).toMatch(/service_results_stored_total\{status="skipped",reason="quota"\} 1/);
  });

  test("gets a row for each code scorer that is switched on, one with an error where the judge has none", {
    tags: ["spec:result.codeScorerResults"],
  }, async () => {
    const scored = await client.createRun(
      await client.createDataset({
        name: "Scored",
        codeScorers: [
          { name: "Length", code: "return 1" },
          { code: "return 1" },
          { name: "Off", code: "x", enabled: false },
        ],
      }),
    );

    const length = { name: "Length", score: 0.5, reasoning: "Half." };
    judge.behave(() => ({ ...rate(7), deterministic: [length] }));

    const { body } = await client.submit(scored, [buildResult()]);

    expect(body.scoredResults[0].codeScorerResults).toEqual([
      length,
      { name: "Untitled scorer", score: null, error: "The judge did not answer this." },
    ]);
  });

  test("keeps NUL, lone surrogates and big numbers, in its key too", {
    tags: ["spec:result.smokeTestVariantText", "spec:run.results.smokeTestVariantText"],
  }, async () => {
    const key = '"k\\u0000\\ud800"';
    const other = '"k\\u0000\\udc00"';
    const text = (idempotencyKey: string) =>
      `{"batchId":"b\\u0000\\ud800","results":[{"idempotencyKey":${idempotencyKey},"caseId":"\\u0000","traceId":"\\ud800",` +
      `"input":{"query":"q\\u0000"},"output":{"text": {"n":12345678901234567890,"z":1e400,"__proto__":1} },` +
      `"smokeTestVariantText":"\\ud800\\u0000"}]}`;
    judge.behave((body) => rate(5, `${body.case.input}\ud800\u0000`));
    const submit = (idempotencyKey: string) => client.send("POST", `/runs/${runId}/results`, text(idempotencyKey));

    const first = await submit(key);
    const again = await submit(key);
    const different = await submit(other);

    expect(first.body).toMatchObject({ batchId: "b\u0000\ud800", accepted: 1 });
    expect(first.body.scoredResults[0]).toMatchObject({ idempotencyKey: "k\u0000\ud800", rating: 5 });
    expect(again.body).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(different.body).toMatchObject({ accepted: 1, duplicates: 0 });
    expect((await client.readRun(runId)).results[0]).toMatchObject({
      traceId: "\ud800",
      input: { query: "q\u0000" },
      output: { text: '{"n":12345678901234567890,"z":1e400,"__proto__":1}' },
      smokeTestVariantText: "\ud800\u0000",
      batchId: "b\u0000\ud800",
    });
  });

  test("may have a key of any length", async () => {
    const results = [buildResult({ idempotencyKey: "k".repeat(100_000) })];

    expect((await client.submit(runId, results)).body.accepted).toBe(1);
    expect((await client.submit(runId, results)).body.duplicates).toBe(1);
  });
});
