import { ciScore, ciScores } from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { type CiClient, createCiClient, rateOutput, refusal } from "./ci-client.ts";
import { createGate, until } from "./conditions.ts";
import { answerAll, rate } from "./fake-judge.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: CiClient;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

beforeEach(() => {
  client = createCiClient(running.address);
  judge.behave(rateOutput);
});

describe("results of a CI run", () => {
  test("are scored one by one or several at once", { tags: ["spec:ci.results"] }, async () => {
    const runId = await client.startRun();
    const { status, body } = await client.answer(runId, 1, "8");
    expect(status).toBe(200);
    expect(ciScore.parse(body)).toEqual({
      question_index: 1,
      rating: 8,
      justification: "Rated 8.",
      passed: true,
      gate_fired: false,
      status: "scored",
      metrics: {},
    });
    const bulk = await client.submitTo(runId, {
      results: [
        { question_index: 3, output: 4 },
        { question_index: 1, output: "1" },
        { question_index: 0, error: { type: "Timeout", message: "too slow" } },
        { question_index: 3, output: "9" },
      ],
    });
    expect(ciScores.parse(bulk.body)).toMatchObject({
      gate_fired: false,
      scores: [
        { question_index: 3, rating: 4, passed: false },
        { question_index: 1, rating: 8, passed: true, deduped: true },
        {
          question_index: 0,
          rating: 0,
          passed: false,
          status: "failed",
          justification: expect.stringContaining("too slow"),
        },
        { question_index: 3, rating: 4, deduped: true },
      ],
    });
    expect((await client.readCi(runId)).body).toMatchObject({ results_submitted: 3, status: "in_progress" });
  });

  test("that are no strings are judged as the JSON they were sent as", { tags: ["spec:ci.results"] }, async () => {
    const runId = await client.startRun();
    judge.behave(({ case: { input, output } }) => rate(9, `${input} => ${output}`));
    const { body } = await client.ask(
      `/ci-runs/${runId}/results`,
      '{"question_index":0,"output":{"a": 1.0, "b":["\\u0000"]},"input":[1.50]}',
    );
    expect(body.justification).toBe('[1.50] => {"a": 1.0, "b":["\\u0000"]}');
    expect((await client.finalizeCi(runId)).body.scores).toMatchObject([
      { input: "[1.50]", output: '{"a": 1.0, "b":["\\u0000"]}', passed: true },
    ]);
  });

  test("that could not be judged do not pass", { tags: ["spec:ci.results"] }, async () => {
    const runId = await client.startRun({ ratingThreshold: 0 });
    judge.behave((body) => answerAll(body, {}));
    expect((await client.answer(runId, 0, "8")).body).toMatchObject({ rating: null, status: "skipped", passed: false });
  });

  test("pass by their metrics, scorers and gates too", { tags: ["spec:ci.results"] }, async () => {
    const dataset = {
      jaccardSimilarity: { enabled: true },
      codeScorers: [{ name: "Tone", language: "javascript", code: "1" }],
      thresholds: { enabled: true, gates: [{ metric: "Tone", min: 0.8 }] },
      questions: [0, 1, 2].map((index) => ({ main_question: { query: `Q${index}`, expectedResults: "ok" } })),
    };
    const runId = await client.startRun({ thresholds: { jaccardSimilarity: 0.4 } }, dataset);
    judge.behave(({ case: { output } }) => {
      const [similarity, tone] = output.split(" ").map(Number) as [number, number];
      return { ...rate(9), similarity: { jaccard: similarity }, deterministic: [{ name: "Tone", score: tone }] };
    });
    expect((await client.answer(runId, 0, "0.4 0.8")).body).toMatchObject({
      passed: true,
      metrics: { jaccardSimilarity: 0.4 },
    });
    expect((await client.answer(runId, 1, "0.3 0.9")).body.passed).toBe(false);
    expect((await client.answer(runId, 2, "0.5 0.7")).body.passed).toBe(false);
    expect((await client.finalizeCi(runId)).body.violations).toEqual([
      { question_index: 1, metric: "jaccardSimilarity", threshold: 0.4, actual: 0.3, question_text: "Q1" },
      { question_index: 2, metric: "Tone", threshold: 0.8, actual: 0.7, question_text: "Q2" },
    ]);
  });

  test("for one question at once are judged once and stored once", { tags: ["spec:ci.results"] }, async () => {
    const runId = await client.startRun();
    const gate = createGate();
    judge.asked.length = 0;
    judge.behave(async (body) => {
      await gate.opened;
      return rateOutput(body);
    });
    const submitting = Array.from({ length: 20 }, (_, index) => client.answer(runId, 2, String(index % 10)));
    await until(() => expect(judge.atWork()).toBe(1));
    gate.open();
    const answers = await Promise.all(submitting);

    expect(judge.asked.length).toBe(1);
    expect(new Set(answers.map(({ body }) => body.rating)).size).toBe(1);
    expect(answers.filter(({ body }) => body.deduped === true).length).toBe(19);
    expect((await client.readCi(runId)).body.results_submitted).toBe(1);
  });

  test("come in through the CI run only, and so does its end", async () => {
    const runId = await client.startRun();
    const belongs = refusal(409, "This run belongs to a CI run: use /ingest/ci-runs/{id}/results and .../finalize");
    expect(
      await client.submit(runId, [{ idempotencyKey: "x", questionIndex: 0, output: { text: "10" } }]),
    ).toMatchObject(belongs);
    for (const status of ["completed", "failed"])
      expect(await client.finalize(runId, { status })).toMatchObject(belongs);
    expect((await client.readCi(runId)).body).toMatchObject({ status: "in_progress", results_submitted: 0 });
    // A run that only says it is one is as any other.
    const named = await client.createRun(await client.createCiDataset(), { runSource: "ci" });
    expect((await client.submit(named, [{ idempotencyKey: "x", output: { text: "10" } }])).status).toBe(200);
    expect((await client.finalize(named)).status).toBe(200);
  });
});

describe("failing fast", () => {
  test("finalizes the run with the result after which it cannot pass any more", {
    tags: ["spec:ci.results"],
  }, async () => {
    const runId = await client.startRun({ failFast: true });
    expect((await client.answer(runId, 0, "1")).body).toMatchObject({ passed: false, gate_fired: false });
    expect((await client.answer(runId, 1, "9")).body).toMatchObject({ passed: true, gate_fired: false });
    expect((await client.answer(runId, 2, "1")).body).toMatchObject({ passed: false, gate_fired: true });

    expect((await client.readCi(runId)).body).toMatchObject({ status: "completed", gate: "fail", pass_rate: 0.2 });
    expect((await client.readRun(runId)).status).toBe("completed");
    expect(await client.answer(runId, 3, "9")).toMatchObject(refusal(409, "Run is already in a terminal state"));
    expect((await client.finalizeCi(runId)).body).toMatchObject({ gate: "fail", results_submitted: 3 });
    expect(await client.listGates()).toHaveLength(1);
  });

  test("is reported for a bulk as a whole, and not computed unless the dataset asks for it", async () => {
    const fast = await client.startRun({ failFast: true });
    expect((await client.answerInBulk(fast, [1, 9, 1])).body).toMatchObject({
      gate_fired: true,
      scores: [{ gate_fired: true }, { gate_fired: true }, { gate_fired: true }],
    });
    const slow = await client.startRun();
    expect((await client.answerInBulk(slow, [1, 1, 1, 1])).body.gate_fired).toBe(false);
    expect((await client.readCi(slow)).body.status).toBe("in_progress");
  });

  test("lets a result that is being judged finish, and its request ends the run", async () => {
    const runId = await client.startRun({ failFast: true, passRateThreshold: 1 });
    const gate = createGate();
    judge.behave(async (body) => {
      if (body.case.output === "9") await gate.opened;
      return rateOutput(body);
    });
    const late = client.answer(runId, 0, "9");
    await until(() => expect(judge.atWork()).toBe(1));
    expect((await client.answer(runId, 1, "1")).body.gate_fired).toBe(true);
    expect((await client.readCi(runId)).body).toMatchObject({ status: "in_progress", gate: null });
    gate.open();
    expect((await late).body).toMatchObject({ rating: 9, passed: true, gate_fired: true });
    expect((await client.readCi(runId)).body).toMatchObject({
      status: "completed",
      gate: "fail",
      results_submitted: 2,
    });
  });

  test("fires for the last of several failures that come at once", async () => {
    const runId = await client.startRun({ failFast: true });
    const answers = await Promise.all([0, 1].map((index) => client.answer(runId, index, "1")));
    expect(answers.some(({ body }) => body.gate_fired === true)).toBe(true);
    await until(async () =>
      expect((await client.readCi(runId)).body).toMatchObject({ status: "completed", gate: "fail" }),
    );
  });
});
