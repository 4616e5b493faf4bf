import { evaluateTraceReply, type JudgedTrace, run as runSchema } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { noTrajectory } from "./fake-ingest.ts";
import { answerAll, type JudgeBody } from "./fake-judge.ts";
import { createProjectClient, type HttpAnswer } from "./project-client.ts";
import { useFakeIngest, useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

let datasetId: string;
let configId: string;

const system = useTestSystem();
const judge = useJudge(system);
const ingest = useFakeIngest(system);
const running = useService(system, { ingest });
const client = useProject(running);

beforeAll(async () => {
  datasetId = await client.createDataset({
    name: "Orders",
    acceptanceCriteria: "Names the day.",
    jaccardSimilarity: { enabled: true },
    codeScorers: [{ name: "Short", code: "return 1" }],
    questions: [
      { main_question: { query: "When?", expectedResults: "Tuesday.", expectedTrajectory: { tools: ["search"] } } },
    ],
  });
  const config = { name: "Clarity", evaluationCriteria: "Clear.", codeScorers: [{ name: "Polite", code: "return 1" }] };
  configId = (await client.send("POST", "/evaluation-settings", config)).body._id;
});

beforeEach(() => {
  judge.asked.length = 0;
  ingest.delayTraces(async () => undefined);
  judge.behave((body) => answerAll(body, { Orders: 8, Clarity: 6 }));
});

const toolCalls = [{ name: "search", output: "found", success: true }];
const recorded: Partial<JudgedTrace> = {
  latencyMs: 12,
  inputTokens: 3,
  outputTokens: 4,
  trajectory: { ...noTrajectory, toolCalls },
  retrieval: { source: "spans", texts: ["Orders ship on Monday."] },
};

const evaluate = (traceId: string, body: unknown): Promise<HttpAnswer> =>
  client.sendTo("POST", `/api/v1/ingest/traces/${encodeURIComponent(traceId)}/evaluate`, body);

const countRuns = async (): Promise<number> => (await client.send("GET", "/runs?limit=200")).body.runs.length;

async function readRun(runId: string) {
  const run = await client.readRun(runId);
  expect(runSchema.safeParse(run).error).toBeUndefined();
  return run;
}

describe("evaluating a trace", () => {
  test("judges the recorded data and is a completed run of one result", {
    tags: ["spec:evaluate.200", "spec:run.state.trace-eval", "spec:run.runSource"],
  }, async () => {
    const traceId = ingest.record(client.projectId, recorded);

    const { status, body } = await evaluate(traceId, { datasetId });

    expect(status).toBe(200);
    expect(evaluateTraceReply.strict().safeParse(body).error).toBeUndefined();
    expect(body).toMatchObject({ trace_id: traceId, rating: 8, justification: "Orders says 8.", status: "completed" });
    const { results, ...run } = await readRun(body.run_id);
    expect(run).toMatchObject({
      datasetId,
      evaluationSettingsId: null,
      scorerGroupId: null,
      evaluationSubject: { kind: "trace_evaluation", traceId },
      runSource: "trace-eval",
      status: "completed",
      resultCount: 1,
      averageRating: 8,
      caseStatistics: [],
    });
    expect(results).toEqual([
      expect.objectContaining({
        questionIndex: null,
        questionText: null,
        input: { query: "When does my order arrive?" },
        output: { text: "Tuesday." },
        rating: 8,
        traceId,
        latencyMs: 12,
        inputTokens: 3,
        outputTokens: 4,
        codeScorerResults: [{ name: "Short", score: 1 }],
        status: "scored",
        batchId: "trace-eval",
      }),
    ]);
    const missing = (await client.send("GET", `/runs/${body.run_id}/missing-results`)).body;
    expect(missing).toMatchObject({ submittedKeys: [`trace:${traceId}`], missing: [] });
  });

  test("keeps the keys of old: snake_case in its answer, the run's id as `_id` and `runId` wherever a run is", {
    tags: ["spec:version.keys"],
  }, async () => {
    const traceId = ingest.record(client.projectId, recorded);
    const { body: evaluated } = await evaluate(traceId, { datasetId });
    expect(Object.keys(evaluated)).toEqual(["run_id", "trace_id", "rating", "justification", "status"]);
    const runId = evaluated.run_id;

    const created = (await client.send("POST", "/runs", { datasetId })).body;
    const [, listed] = (await client.send("GET", "/runs?limit=2")).body.runs;
    const finalized = (await client.finalize(runId)).body;
    for (const run of [await client.readRun(runId), listed, finalized]) {
      expect(run).toMatchObject({ _id: runId, runId });
    }
    expect(created._id).toBe(created.runId);
  });

  test("asks the judge on the general criteria alone, with trajectory and context", {
    tags: ["spec:evaluate.question-index"],
  }, async () => {
    const traceId = ingest.record(client.projectId, recorded);

    await evaluate(traceId, { datasetId, question_index: 0 });

    expect(judge.asked).toHaveLength(1);
    const { judges, similarity, deterministic, ...asked } = judge.asked[0] as JudgeBody;
    expect(judges).toMatchObject([{ id: "primary", acceptanceCriteria: "Names the day." }]);
    expect(asked.case).toMatchObject({
      input: "When does my order arrive?",
      output: "Tuesday.",
      expected: null,
      context: "[retrieval 1] Orders ship on Monday.",
      trajectory: { toolCalls },
    });
    expect(similarity).toEqual({ jaccard: false, bleu: false, rouge: false, vector: null });
    expect(deterministic).toMatchObject({
      codeScorers: [{ name: "Short", code: "return 1" }],
      trajectoryMatch: null,
      contextMatch: null,
    });
  });

  test("takes a grading config in the place of a dataset", async () => {
    const traceId = ingest.record(client.projectId, recorded);

    const { body } = await evaluate(traceId, { datasetId: configId });

    expect(body).toMatchObject({ rating: 6 });
    expect(judge.asked[0]).toMatchObject({
      judges: [{ evaluationCriteria: "Clear." }],
      deterministic: { codeScorers: [{ name: "Polite" }] },
    });
    const run = await readRun(body.run_id);
    expect(run).toMatchObject({ datasetId: configId, evaluationSettingsId: configId, resultCount: 1 });
    expect(run.results[0]).toMatchObject({ codeScorerResults: [{ name: "Polite", score: 1 }] });
    const { runs } = (await client.send("GET", "/runs?limit=1")).body;
    expect(runs).toMatchObject([{ _id: body.run_id, runSource: "trace-eval", evaluationSettingsId: configId }]);
  });

  test("grades by the config where a dataset has the same id", async () => {
    await system.open("app").scoped([client.projectId], (transaction) =>
      transaction.query({
        name: "dataset_under_another_id",
        text: `
          with versions as (
            insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
            select project_id, $2, version, document, created_at
            from evals.dataset_versions
            where project_id = $1 and dataset_id = $3
          )
          insert into evals.datasets (project_id, id, version, created_at)
          select project_id, $2, version, created_at
          from evals.datasets
          where project_id = $1 and id = $3`,
        values: [client.projectId, configId, datasetId],
      }),
    );

    const { body } = await evaluate(ingest.record(client.projectId, recorded), { datasetId: configId });

    expect(await readRun(body.run_id)).toMatchObject({ datasetId: configId, evaluationSettingsId: configId });
    expect(judge.asked[0]?.judges[0]?.name).toBe("Clarity");
  });

  test("has no rating if the judge could not score, with the reason", {
    tags: ["spec:evaluate.rating-null"],
  }, async () => {
    judge.behave((body) => answerAll(body, { Orders: null }));
    const traceId = ingest.record(client.projectId, recorded);

    const { status, body } = await evaluate(traceId, { datasetId });

    expect(status).toBe(200);
    expect(body).toMatchObject({ rating: null, justification: "Orders cannot say.", status: "completed" });
    expect(await readRun(body.run_id)).toMatchObject({
      status: "completed",
      averageRating: null,
      results: [{ status: "skipped", rating: null, codeScorerResults: [{ name: "Short", score: 1 }] }],
    });
  });

  test("treats missing fields of a trace as empty", async () => {
    const traceId = ingest.record(client.projectId, { input: null, output: null });

    expect((await evaluate(traceId, { datasetId })).body).toMatchObject({ rating: 8 });

    expect(judge.asked[0]?.case).toMatchObject({ input: "", output: "", context: null });
  });

  test("rates a trace that ended in an error and put nothing out 0, without a judge", async () => {
    const traceId = ingest.record(client.projectId, { output: null, error: "model overloaded" });

    const { body } = await evaluate(traceId, { datasetId });

    expect(body).toMatchObject({ rating: 0, justification: "Case failed with error: Error: model overloaded" });
    expect(judge.asked).toEqual([]);
    expect((await readRun(body.run_id)).results).toMatchObject([
      { status: "failed", error: { message: "model overloaded" } },
    ]);
  });

  test("judges a trace that put something out in spite of an error", async () => {
    const traceId = ingest.record(client.projectId, { error: "a step failed" });

    expect((await evaluate(traceId, { datasetId })).body).toMatchObject({ rating: 8 });
  });

  test("is judged again each time, as a new run", async () => {
    const traceId = ingest.record(client.projectId, recorded);

    const [one, other] = await Promise.all([evaluate(traceId, { datasetId }), evaluate(traceId, { datasetId })]);

    expect(one.body.run_id).not.toBe(other.body.run_id);
    expect(judge.asked).toHaveLength(2);
  });
});

describe("a trace is not evaluated, and no run is made,", () => {
  test.each([
    ["without a body", undefined],
    ["without a dataset", {}],
    ["with a dataset that is no text", { datasetId: 7 }],
    ["with an empty one", { datasetId: "" }],
  ])("%s", { tags: ["spec:evaluate.400"] }, async (_what, body) => {
    const { status, body: answer } = await evaluate(ingest.record(client.projectId, recorded), body);

    expect([status, answer]).toEqual([400, { error: "traceId and datasetId are required" }]);
  });

  test("when there is no such trace in the project", { tags: ["spec:evaluate.404.trace"] }, async () => {
    const foreign = ingest.record(uuidv7(Date.now()), recorded);
    const before = await countRuns();

    for (const traceId of ["nonsense", uuidv7(Date.now()), foreign]) {
      const { status, body } = await evaluate(traceId, { datasetId });
      expect([status, body]).toEqual([404, { error: "Trace not found" }]);
    }
    expect(await countRuns()).toBe(before);
  });

  test("when the id is neither a dataset's nor a config's", { tags: ["spec:evaluate.404.dataset"] }, async () => {
    const stranger = createProjectClient(new URL((await system.startService()).address).origin);
    const foreign = await stranger.createDataset({ name: "Orders" });
    const traceId = ingest.record(client.projectId, recorded);

    for (const id of ["nonsense", "a\0b", uuidv7(Date.now()), foreign]) {
      const { status, body } = await evaluate(traceId, { datasetId: id });
      expect([status, body]).toEqual([404, { error: "Dataset or evaluator config not found" }]);
    }
  });

  test("when the dataset is deleted while it is judged", async () => {
    const gone = await client.createDataset({ name: "Orders" });
    const before = await countRuns();
    judge.behave(async (body) => {
      await client.send("DELETE", `/datasets/${gone}`);
      return answerAll(body, { Orders: 8 });
    });

    const { status, body } = await evaluate(ingest.record(client.projectId, recorded), { datasetId: gone });

    expect([status, body]).toEqual([404, { error: "Dataset or evaluator config not found" }]);
    expect(await countRuns()).toBe(before);
  });

  test("while ingest is unavailable", async () => {
    const traceId = ingest.record(client.projectId, recorded);
    const before = await countRuns();
    ingest.delayTraces(() => Promise.reject(new Error("away")));

    expect((await evaluate(traceId, { datasetId })).status).toBe(503);

    expect(await countRuns()).toBe(before);
    expect(judge.asked).toEqual([]);
  });
});

test("a run made from a trace is no baseline, but can be compared", { tags: ["spec:run.runSource"] }, async () => {
  const ownDataset = await client.createDataset({ name: "Orders", questions: [{ main_question: { query: "When?" } }] });
  const traceId = ingest.record(client.projectId, recorded);
  const evaluated = (await evaluate(traceId, { datasetId: ownDataset })).body.run_id;
  const runId = await client.createRun(ownDataset);
  await client.submit(runId, [buildResult()]);
  await client.finalize(runId);

  const gate = await client.send("GET", `/runs/${runId}/gate?noRegression=true`);
  expect(gate.body).toMatchObject({ passed: true, baselineAverage: null });
  expect(await client.send("GET", `/runs/${runId}/gate?noRegression=true&baseline=${evaluated}`)).toMatchObject({
    status: 400,
    body: { error: "The baseline is the evaluation of one trace" },
  });

  const compared = await client.sendTo("GET", `/api/v1/evaluate/runs/compare?baseline=${evaluated}&candidate=${runId}`);
  expect(compared.status).toBe(200);
  expect(compared.body.cases).toMatchObject([{ questionIndex: 0 }, { questionIndex: null }]);
});
