import { randomUUID } from "node:crypto";
import { ciRun, ciRunList, ciVerdict, datasetTestCases } from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { buildQuestions, type CiClient, createCiClient, rateOutput, refusal } from "./ci-client.ts";
import { createProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: CiClient;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

beforeEach(() => {
  client = createCiClient(running.address);
  judge.behave(rateOutput);
});

describe("a CI run", () => {
  test("is started with the dataset's cases and settings, for two hours", { tags: ["spec:ci.start"] }, async () => {
    const datasetId = await client.createCiDataset({ passRateThreshold: 0.6 }, {}, 2);
    const body = await client.start(datasetId, {
      agent_name: "support",
      git_context: { branch: "main", pr_number: 7 },
    });

    expect(body).toMatchObject({
      dataset_id: datasetId,
      agent_id: null,
      total_questions: 2,
      pass_rate_threshold: 0.6,
      test_cases: [
        { index: 0, query: "Question 0?" },
        { index: 1, query: "Question 1?" },
      ],
    });
    const state = ciRun.parse((await client.readCi(body.run_id)).body);
    expect(state).toMatchObject({
      run_id: body.run_id,
      status: "in_progress",
      gate: null,
      pass_rate: null,
      finalized_at: null,
      results_submitted: 0,
      total_questions: 2,
      expires_at: body.expires_at,
      git_context: { branch: "main", pr_number: 7 },
    });
    expect(Date.parse(state.expires_at) - Date.parse(state.created_at)).toBe(2 * 60 * 60_000);
    expect(await client.readRun(body.run_id)).toMatchObject({
      runId: body.run_id,
      datasetId,
      status: "in_progress",
      evaluationSubject: { kind: "ci", displayName: "support", git: { branch: "main", pr_number: 7 } },
      runSource: "ci",
    });
  });

  test("asks each question once, whatever the repetitions of its dataset", async () => {
    const runId = await client.startRun({}, { numberOfRequests: 3 }, 2);
    expect(await client.readRun(runId)).toMatchObject({ askedCount: 2 });
    await client.answer(runId, 0, "8");
    const { body } = await client.send("GET", `/runs/${runId}/missing-results`);
    expect(body.missing).toMatchObject([{ questionIndex: 1, runNumber: 1 }]);
  });

  test("is started in camelCase too, and keeps its git context to the letter", async () => {
    const datasetId = await client.createCiDataset({}, {}, 1);
    const git = '{ "branch": "m\\u0000n", "n": 1.0, "big": 123456789012345678901234567890, "lone": "\\ud800" }';
    const started = await client.ask(
      "/ci-runs",
      `{"datasetId":"${datasetId}","agentName":"a","passRateThreshold":0,"gitContext":${git}}`,
    );
    expect(started).toMatchObject({ status: 201, body: { pass_rate_threshold: 0 } });
    const runId = started.body.run_id;
    expect((await client.readCi(runId)).text).toContain(`"git_context":${git}`);
    await client.submitTo(runId, { questionIndex: 0, output: "8", latencyMs: 12, traceId: "t" });
    expect((await client.readRun(runId)).results[0]).toMatchObject({ questionIndex: 0, latencyMs: 12, traceId: "t" });
    expect((await client.finalizeCi(runId)).text).toContain(`"git_context":${git}`);
  });

  test("of a dataset that does not expose its inputs has no test cases", { tags: ["spec:ci.test-cases"] }, async () => {
    const hidden = await client.createCiDataset({ exposeTestInputs: false, passRateThreshold: 1 }, {}, 2);
    const open = await client.createCiDataset({}, {}, 1);
    const cases = async (datasetId: string) =>
      datasetTestCases.parse((await client.ask(`/datasets/${datasetId}/test-cases`)).body);

    expect((await client.start(hidden)).test_cases).toEqual([]);
    expect(await cases(hidden)).toEqual({
      dataset_id: hidden,
      name: "Orders",
      total_questions: 2,
      test_cases: [
        { index: 0, query: null },
        { index: 1, query: null },
      ],
      ci: { enabled: true, pass_rate_threshold: 1 },
    });
    expect(await cases(open)).toMatchObject({
      test_cases: [{ index: 0, query: "Question 0?" }],
      ci: { pass_rate_threshold: 0.8 },
    });
    const { run_id } = await client.start(hidden);
    await client.submitTo(run_id, { question_index: 0, output: "1", input: { asked: 1.0 } });
    const verdict = ciVerdict.parse((await client.finalizeCi(run_id)).body);
    expect(verdict.violations.map(({ question_text }) => question_text)).toEqual([null, null]);
    expect(verdict.scores.map(({ input }) => input)).toEqual(['{"asked":1}']);
  });

  test("of a dataset with CI disabled is refused", { tags: ["spec:ci.disabled"] }, async () => {
    const datasetId = await client.createCiDataset({ enabled: false });
    const disabled = refusal(400, "CI/CD is not enabled for this dataset");
    expect(await client.ask("/ci-runs", { dataset_id: datasetId })).toMatchObject(disabled);
    expect(await client.ask(`/datasets/${datasetId}/test-cases`)).toMatchObject(disabled);
  });

  test("is refused with the documented sentences, and no other 400 speaks of CI", {
    tags: ["spec:ci.start"],
  }, async () => {
    const datasetId = await client.createCiDataset({}, {}, 2);
    const empty = await client.createDataset({ name: "Empty" });
    const { run_id: runId } = await client.start(datasetId);
    const elsewhere = createProjectClient(running.address);
    const startBad = (body: unknown) => client.ask("/ci-runs", body);

    const threshold = refusal(400, "pass_rate_threshold must be a number between 0 and 1");
    for (const bad of [-0.1, 1.1, "0.5", [], {}]) {
      expect(await startBad({ dataset_id: datasetId, pass_rate_threshold: bad })).toMatchObject(threshold);
    }
    for (const body of [{}, { dataset_id: "" }, { dataset_id: 7 }, []]) {
      expect(await startBad(body)).toMatchObject(refusal(400, "dataset_id is required"));
    }
    const unknown = refusal(404, "Dataset not found");
    expect(await startBad({ dataset_id: "none" })).toMatchObject(unknown);
    expect(await startBad({ dataset_id: randomUUID() })).toMatchObject(unknown);
    expect(await client.ask("/datasets/none/test-cases")).toMatchObject(unknown);
    expect(await elsewhere.sendTo("POST", "/api/v1/ingest/ci-runs", { dataset_id: datasetId })).toMatchObject(unknown);
    expect(await startBad({ dataset_id: empty })).toMatchObject(refusal(400, "Dataset has no questions"));
    expect(
      await startBad({ dataset_id: datasetId, workspaceId: "01a20000-3f5b-7e0e-9b4e-1d2c3b4a5f60" }),
    ).toMatchObject({ status: 403 });

    const outOfRange = refusal(400, "question_index must be an integer between 0 and 1");
    for (const question_index of [-1, 2, 0.5, "0", null, undefined, 1e300]) {
      expect(await client.submitTo(runId, { question_index, output: "8" })).toMatchObject(outOfRange);
    }
    for (const output of [null, undefined]) {
      expect(await client.answer(runId, 0, output)).toMatchObject(refusal(400, "output is required"));
    }
    const others = [
      await startBad({ dataset_id: datasetId, agent_name: "a\u0000" }),
      await startBad({ dataset_id: datasetId, agent_name: "a".repeat(513) }),
      await startBad({ dataset_id: datasetId, git_context: "main" }),
      await startBad({ dataset_id: datasetId, git_context: { text: "x".repeat(16 * 1024) } }),
      await startBad('{"dataset_id": ci}'),
      await startBad(`${"[".repeat(200)}${"]".repeat(200)}`),
      await client.submitTo(runId, { results: [] }),
      await client.submitTo(runId, { results: "ci" }),
      await client.submitTo(runId, { results: ["ci"] }),
      await client.submitTo(runId, { results: Array.from({ length: 11 }, () => ({ question_index: 0, output: "8" })) }),
      await client.submitTo(runId, { results: [{ question_index: 0, output: "8" }, { question_index: 1 }] }),
      await client.submitTo(runId, { question_index: 0, output: "8", latency_ms: "ci" }),
      await client.submitTo(runId, { question_index: 0, output: "8", trace_id: 1 }),
      await client.submitTo(runId, { question_index: 0, error: "ci" }),
      await client.submitTo(runId, { question_index: 0, error: { type: 1 } }),
      await client.ask("/ci-runs?limit=0"),
      await client.ask("/ci-runs?limit=ci"),
    ];
    for (const { status, text } of others) {
      expect(status, text).toBe(400);
      expect(text).not.toMatch(/ci/i);
    }
    expect((await client.readCi(runId)).body.results_submitted).toBe(0);
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["POST", "/results", { question_index: 0, output: "8" }],
      ["POST", "/finalize", {}],
    ] as const) {
      const paths = [`/api/v1/ingest/ci-runs/none${path}`, `/api/v1/ingest/ci-runs/${randomUUID()}${path}`];
      for (const at of paths)
        expect(await client.sendTo(method, at, body)).toMatchObject(refusal(404, "CI run not found"));
      const foreign = await elsewhere.sendTo(method, `/api/v1/ingest/ci-runs/${runId}${path}`, body);
      expect(foreign).toMatchObject(refusal(404, "CI run not found"));
    }
  });

  test("keeps the settings and cases of the dataset it was started with", { tags: ["spec:ci.finalize"] }, async () => {
    const datasetId = await client.createCiDataset({ ratingThreshold: 8, passRateThreshold: 1 }, {}, 1);
    const { run_id: runId } = await client.start(datasetId);
    const replaced = { name: "New", questions: buildQuestions(3), ci: { enabled: false, ratingThreshold: 0 } };
    expect((await client.send("PUT", `/datasets/${datasetId}`, replaced)).status).toBe(200);

    expect((await client.answer(runId, 0, "7")).body).toMatchObject({ passed: false });
    expect((await client.finalizeCi(runId)).body).toMatchObject({
      gate: "fail",
      total_questions: 1,
      pass_rate_threshold: 1,
    });
  });

  test("is listed by dataset, newest first", { tags: ["spec:ci.get"] }, async () => {
    const [one, other] = [await client.createCiDataset(), await client.createCiDataset()];
    const runIds = [];
    for (const datasetId of [one, other, one]) runIds.push((await client.start(datasetId)).run_id);
    const list = async (query: string) =>
      ciRunList.parse((await client.ask(`/ci-runs${query}`)).body).ci_runs.map(({ run_id }) => run_id);

    expect(await list("")).toEqual(runIds.toReversed());
    expect(await list("?limit=1")).toEqual(runIds.slice(2));
    expect(await list(`?dataset_id=${one}`)).toEqual([runIds[2], runIds[0]]);
    expect(await list("?dataset_id=none")).toEqual([]);
    expect((await client.ask("/ci-runs?cursor=first")).status).toBe(400);
    await client.send("DELETE", `/runs/${runIds[2]}`);
    expect(await list(`?datasetId=${one}`)).toEqual([runIds[0]]);
    expect(await client.readCi(runIds[2] as string)).toMatchObject({ status: 404 });
  });

  test("is listed page by page, by branch and by commit", { tags: ["spec:ci.get"] }, async () => {
    const datasetId = await client.createCiDataset();
    const start = async (git_context?: object) => (await client.start(datasetId, { git_context })).run_id;
    const first = await start({ branch: "main", commit_sha: "d94c3b6a7f" });
    const second = await start();
    const third = await start({ branch: "fix", commit_sha: "4f1c9a2" });
    const list = async (query: string) => {
      const { ci_runs, ...rest } = ciRunList.parse((await client.ask(`/ci-runs?${query}`)).body);
      return { ids: ci_runs.map(({ run_id }) => run_id), ...rest };
    };

    expect(await list("limit=2")).toEqual({
      ids: [third, second],
      total_count: 3,
      has_next_page: true,
      next_cursor: second,
    });
    expect(await list(`limit=2&cursor=${second}`)).toMatchObject({
      ids: [first],
      has_next_page: false,
      next_cursor: null,
    });
    expect(await list("branch=main")).toMatchObject({ ids: [first], total_count: 1 });
    expect((await list("commit=4f1c9a2bb0")).ids).toEqual([third]);
    expect((await list("commit=d9&branch=fix")).ids).toEqual([]);
  });
});
