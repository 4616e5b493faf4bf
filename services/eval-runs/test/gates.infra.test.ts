import { connectBus } from "@touchstone/bus";
import { comparedRuns, comparedVersions, gate, gateRecorded, recordedGates } from "@touchstone/contracts";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(() => {
  // The answer is its own rating.
  judge.behave(({ case: { output } }) => rate(Number(output), `Rated ${output}.`));
});

const running = useService(system);

beforeEach(async () => {
  client = createProjectClient(running.address);
  datasetId = await createDataset("Orders");
});

const createDataset = (name: string) =>
  client.createDataset({
    name,
    questions: Array.from({ length: 8 }, (_, index) => ({ main_question: { query: `Question ${index}?` } })),
  });

interface Rated {
  ratings: readonly number[];
  more?: object;
  /** Null = left open. */
  status?: "completed" | "failed" | null;
  variant?: number;
}

/** A run whose cases are rated as given. */
async function makeRun({ ratings, more, status = "completed", variant }: Rated, dataset = datasetId): Promise<string> {
  const runId = await client.createRun(dataset, more);
  const results = ratings.map((rating, questionIndex) => ({
    idempotencyKey: `${questionIndex}`,
    questionIndex,
    output: { text: String(rating) },
    ...(rating < 0 && { error: { type: "Timeout", message: "too slow" } }),
  }));
  const variants =
    variant === undefined
      ? []
      : [{ idempotencyKey: "v", questionIndex: 0, output: { text: String(variant) }, isSmokeTestVariant: true }];
  expect((await client.submit(runId, [...results, ...variants])).status).toBe(200);
  if (status !== null) await client.finalize(runId, { status });
  return runId;
}

const gateOf = (runId: string, query: string) => client.send("GET", `/runs/${runId}/gate?${query}`);
const evaluate = (path: string) => client.sendTo("GET", `/api/v1/evaluate${path}`);

describe("the gate of a run", () => {
  test("reports the checks and answers 200 for either verdict", async () => {
    const runId = await makeRun({ ratings: [8, 7, 9] });
    const passing = await gateOf(runId, "failUnder=8&noRegression=true");
    expect(passing.status).toBe(200);
    expect(gate.parse(passing.body)).toEqual({
      runId,
      datasetId,
      gatedScorer: null,
      gatedMetric: null,
      averageRating: 8,
      resultCount: 3,
      baselineRunId: null,
      baselineAverage: null,
      scoringRevision: 0,
      checks: [
        {
          check: "fail-under",
          passed: true,
          threshold: 8,
          actual: 8,
          detail: "The average rating 8 is not below 8.",
        },
        { check: "no-regression", passed: true, threshold: null, actual: 8, detail: "There is no baseline yet." },
      ],
      paired: null,
      passed: true,
    });
    expect(await gateOf(runId, "failUnder=8.01")).toMatchObject({ status: 200, body: { passed: false } });
  });

  test("leaves variants out and counts failed results as 0", async () => {
    const runId = await makeRun({ ratings: [10, 8, -1], variant: 1 });
    expect((await gateOf(runId, "failUnder=6")).body).toMatchObject({ averageRating: 6, resultCount: 4, passed: true });
  });

  test("compares with the newest completed earlier run of the dataset that has a rating", async () => {
    const other = await createDataset("Other");
    await makeRun({ ratings: [1, 1] });
    const baseline = await makeRun({ ratings: [9, 9], variant: 2 });
    await makeRun({ ratings: [2], status: "failed" });
    await makeRun({ ratings: [2], status: null });
    await makeRun({ ratings: [2] }, other);
    await client.finalize(await client.createRun(datasetId));
    const runId = await makeRun({ ratings: [8, 8] });
    await makeRun({ ratings: [3, 3] });

    expect((await gateOf(runId, "noRegression=true")).body).toMatchObject({
      baselineRunId: baseline,
      baselineAverage: 9,
      passed: false,
    });
    expect((await gateOf(runId, "noRegression=true&tolerance=1")).body.passed).toBe(true);
  });

  test("takes the sixth last run for no baseline any more", async () => {
    await makeRun({ ratings: [9] });
    for (let older = 0; older < 5; older += 1) await makeRun({ ratings: [5] });
    const runId = await makeRun({ ratings: [5] });
    expect((await gateOf(runId, "noRegression=true")).body).toMatchObject({ baselineAverage: 5, passed: true });
  });

  test("compares case by case with a pinned baseline, and tells a regression from noise", async () => {
    const pinned = await makeRun({ ratings: [9, 8, 9, 8, 9, 8, 9, 8] });
    await makeRun({ ratings: [1] });
    const worse = await makeRun({ ratings: [7, 6, 8, 7, 8, 7, 7, 6] });

    const { body } = await gateOf(worse, `method=paired&baseline=${pinned}`);

    expect(gate.parse(body)).toMatchObject({
      baselineRunId: pinned,
      passed: false,
      paired: { outcome: "regressed", cases: 8, difference: -1.5, minEffect: 0.5, moreCases: null },
    });
    expect((await gateOf(worse, `method=paired&baseline=${pinned}`)).body).toEqual(body);
    const newest = await gateOf(worse, "method=paired&strict=true");
    expect(newest.body).toMatchObject({ passed: false, paired: { outcome: "undecided", cases: 1, interval: null } });
  });

  test("of an open run tells that it is one", async () => {
    const runId = await makeRun({ ratings: [8], status: null });
    const { body } = await gateOf(runId, "failUnder=7");
    expect(body.passed).toBe(true);
    expect(body.checks[0].detail).toContain("still in progress");
  });

  test("refuses checks that are not possible", async () => {
    const runId = await makeRun({ ratings: [8] });
    const elsewhere = await makeRun({ ratings: [8] }, await createDataset("Other"));
    const stranger = createProjectClient(running.address);
    const missing = "00000000-0000-7000-8000-000000000000";

    expect(await gateOf(runId, "")).toMatchObject({
      status: 400,
      body: { error: "At least one check is required: failUnder=<0-10> and/or noRegression=true" },
    });
    expect(await gateOf(runId, "failUnder=7&scorer=Politeness")).toMatchObject({
      status: 400,
      body: { error: 'Unknown scorer "Politeness"' },
    });
    expect(await gateOf(runId, `method=paired&baseline=${elsewhere}`)).toMatchObject({ status: 400 });
    for (const id of [missing, "none"]) {
      expect(await gateOf(id, "failUnder=7")).toMatchObject({ status: 404, body: { error: "Run not found" } });
      expect(await gateOf(runId, `method=paired&baseline=${id}`)).toMatchObject({ status: 404 });
    }
    expect(await stranger.send("GET", `/runs/${runId}/gate?failUnder=7`)).toMatchObject({ status: 404 });
  });
});

test("texts with NUL in results and datasets keep no gate, list or history from being read", async () => {
  const question = { main_question: { query: "A\u0000?" } };
  datasetId = await client.createDataset({ name: "NUL\u0000", questions: [question] });
  const [scorer] = (await client.sendTo("GET", "/api/v1/agent-monitoring/judge-scorers")).body.judgeScorers;
  const runId = await client.createRun(datasetId, { additionalScorerIds: [scorer._id] });
  const result = { idempotencyKey: "\u0000", output: { text: "7" }, smokeTestVariantText: "\u0000" };
  expect((await client.submit(runId, [result])).status).toBe(200);

  expect((await gateOf(runId, "failUnder=5&record=true")).body.passed).toBe(true);
  expect((await gateOf(runId, `failUnder=5&scorer=${scorer._id}`)).status).toBe(200);
  expect((await client.send("GET", "/runs")).body.runs).toMatchObject([{ resultCount: 1 }]);
  expect((await evaluate("/ci/gates")).body.gates).toMatchObject([{ datasetName: "NUL\u0000" }]);
});

describe("recorded gates", () => {
  test("are kept when asked for, newest first, with their caller cut at 60 characters", async () => {
    const runId = await makeRun({ ratings: [8] });
    await gateOf(runId, "failUnder=9");
    await gateOf(runId, `failUnder=9&record=true&caller=%00${"c".repeat(80)}`);
    await gateOf(runId, "failUnder=7&record=1");

    const { gates } = recordedGates.parse((await evaluate("/ci/gates")).body);

    expect(gates).toMatchObject([
      { runId, datasetId, datasetName: "Orders", passed: true, averageRating: 8, caller: null, scoringRevision: 0 },
      { passed: false, caller: "c".repeat(60), checks: [{ check: "fail-under", threshold: 9 }] },
    ]);
    expect((await createProjectClient(running.address).sendTo("GET", "/api/v1/evaluate/ci/gates")).body).toEqual({
      gates: [],
      totalCount: 0,
      hasNextPage: false,
      nextCursor: null,
    });
  });

  test("are listed page by page, by dataset, by branch and by a commit of any length", async () => {
    const other = await createDataset("Other");
    const record = async (evaluationSubject: object, dataset = datasetId): Promise<string> => {
      const runId = await makeRun({ ratings: [8], more: { evaluationSubject } }, dataset);
      await gateOf(runId, "failUnder=7&record=1");
      return runId;
    };
    const first = await record({ git: { branch: "main", commit_sha: "d94c3b6a7f" } });
    const second = await record({ metadata: { branch: "fix", commit: "d94c3" } });
    const third = await record({ git: { branch: "main", commit_sha: "4f1c9a2" } }, other);
    const fourth = await record({ git: { branch: "main\u0000", commit_sha: "" } });
    const list = async (query: string) => {
      const { gates, ...rest } = recordedGates.parse((await evaluate(`/ci/gates?${query}`)).body);
      return { runIds: gates.map(({ runId }) => runId), gates, ...rest };
    };

    const page = await list("limit=3");
    expect(page).toMatchObject({ runIds: [fourth, third, second], totalCount: 4, hasNextPage: true });
    expect(page.gates.map(({ branch, commit }) => [branch, commit])).toEqual([
      ["main\ufffd", null],
      ["main", "4f1c9a2"],
      ["fix", "d94c3"],
    ]);
    expect(await list(`limit=3&cursor=${page.nextCursor}`)).toMatchObject({
      runIds: [first],
      totalCount: 4,
      hasNextPage: false,
      nextCursor: null,
    });
    expect(await list("branch=main")).toMatchObject({ runIds: [third, first], totalCount: 2 });
    for (const commit of ["d94c3b", "d94"]) expect((await list(`commit=${commit}`)).runIds).toEqual([second, first]);
    expect((await list(`datasetId=${other}&branch=main`)).runIds).toEqual([third]);
    expect(await list("datasetId=none")).toMatchObject({ runIds: [], totalCount: 0 });
    await gateOf(first, "failUnder=9&record=1");
    const newest = [{ runId: first, passed: false }, { runId: third }];
    expect(await list(`runIds=${first},${third},none`)).toMatchObject({ gates: newest, totalCount: 2 });
    expect((await list("branch=mai%00")).runIds).toEqual([]);
    for (const query of ["limit=0", "limit=201", "cursor=first", "ciRuns=some", `runIds=${",".repeat(200)}`]) {
      expect((await evaluate(`/ci/gates?${query}`)).status).toBe(400);
    }
  });

  test("are sent to monitor, passed or failed, with the failed checks; an unrecorded verdict is not sent", async () => {
    const told: z.infer<typeof gateRecorded.body>[] = [];
    const monitor = connectBus({ url: system.nats.url, service: "monitor", logger: quiet });
    system.cleanups.defer(() => monitor.drain());
    await vi.waitFor(() => expect(monitor.status()).toBe("connected"));
    await monitor.consume(gateRecorded, { durable: "monitor-gate-recorded" }, async (event) => {
      if (event.datasetId === datasetId) told.push(event);
    });
    const runId = await makeRun({ ratings: [8] });
    await gateOf(runId, "failUnder=9");
    await gateOf(runId, "failUnder=9&record=true");
    await gateOf(runId, "failUnder=7&record=true");
    await vi.waitFor(() => expect(told).toHaveLength(2));

    const { gates } = recordedGates.parse((await evaluate("/ci/gates")).body);
    const of = { projectId: client.projectId, runId, datasetId };
    expect(new Set(told)).toEqual(
      new Set(
        gates.map(({ _id, passed, checks, createdAt }) => ({
          ...of,
          ...{ gateId: _id, passed, recordedAt: createdAt },
          failedChecks: passed ? [] : checks.map(({ detail }) => detail),
        })),
      ),
    );
    expect(told.map(({ failedChecks }) => failedChecks.length).toSorted()).toEqual([0, 1]);
  });

  test("are previewed on the newest completed run, and not kept", async () => {
    const preview = (query: string) => evaluate(`/ci/gates/preview?${query}`);
    expect(await preview("failUnder=7")).toMatchObject({ status: 400, body: { error: "datasetId is required" } });
    expect(await preview(`datasetId=${datasetId}&failUnder=7`)).toMatchObject({
      status: 422,
      body: { error: "No completed runs on this dataset yet" },
    });
    await makeRun({ ratings: [5] });
    const runId = await makeRun({ ratings: [8] });
    await makeRun({ ratings: [1], status: null });

    expect(await preview(`datasetId=${datasetId}&noRegression=1&record=true`)).toMatchObject({
      status: 200,
      body: { runId, baselineAverage: 5, passed: true },
    });
    expect((await evaluate("/ci/gates")).body.gates).toEqual([]);
    expect(await preview("datasetId=none&failUnder=7")).toMatchObject({
      status: 404,
      body: { error: "Dataset not found" },
    });
  });
});

describe("two runs of different versions of their dataset", () => {
  test("are compared by their questions, wherever these are", async () => {
    const baseline = await makeRun({ ratings: [2, 9, 8, 7, 6, 5, 4, 3] });
    const first = `/api/v1/custom-agent-evaluations/datasets/${datasetId}/cases/0?version=1`;
    expect((await client.sendTo("DELETE", first)).status).toBe(200);
    const candidate = await makeRun({ ratings: [9, 8, 7, 6, 5, 4, 3] });

    expect((await gateOf(candidate, "method=paired")).body).toMatchObject({
      baselineRunId: baseline,
      paired: { cases: 7, difference: 0 },
    });
    const { cases, paired } = comparedRuns.parse(
      (await evaluate(`/runs/compare?baseline=${baseline}&candidate=${candidate}`)).body,
    );
    expect(paired).toMatchObject({ cases: 7, difference: 0 });
    expect(cases.map(({ questionIndex, query, delta }) => [questionIndex, query, delta])).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7].map((number, index) => [index, `Question ${number}?`, 0]),
      // A case that only the baseline has.
      [7, "Question 0?", null],
    ]);
    const sorted = await client.send("GET", `/runs/${candidate}/results?sort=delta&baseline=${baseline}`);
    expect(sorted.body.results.map((row: { ofCase: { delta: number } }) => row.ofCase.delta)).toEqual(
      Array.from({ length: 7 }, () => 0),
    );
  });
});

describe("two runs side by side", () => {
  test("show each case of either, with the mean of its repetitions and the difference", async () => {
    const subject = { evaluationSubject: { version: "v2" } };
    const baseline = await makeRun({ ratings: [9, 8, 7], variant: 1 });
    const candidate = await makeRun({ ratings: [7, -1], more: subject, status: null });
    const again = { idempotencyKey: "again", questionIndex: 0, runNumber: 2, output: { text: "8" } };
    await client.submit(candidate, [again]);

    const { status, body } = await evaluate(`/runs/compare?baseline=${baseline}&candidate=${candidate}`);

    expect(status).toBe(200);
    expect(comparedRuns.parse(body)).toMatchObject({
      baselineRun: { runId: baseline, version: null, averageRating: 8 },
      candidateRun: { runId: candidate, version: "v2", averageRating: 5 },
      cases: [
        {
          questionIndex: 0,
          query: "Question 0?",
          baseline: { rating: 9, output: "9", justification: "Rated 9.", error: null },
          candidate: { rating: 7.5, output: "7", error: null },
          delta: -1.5,
        },
        {
          questionIndex: 1,
          candidate: { rating: 0, error: { type: "Timeout", message: "too slow" } },
          delta: -8,
        },
        {
          questionIndex: 2,
          baseline: { rating: 7 },
          candidate: { rating: null, output: null, justification: null, error: null },
          delta: null,
        },
      ],
      paired: { outcome: "undecided", cases: 2 },
    });
  });

  test("need two runs of one dataset", async () => {
    const runId = await makeRun({ ratings: [8] });
    const other = await makeRun({ ratings: [8] }, await createDataset("Other"));
    expect(await evaluate(`/runs/compare?baseline=${runId}`)).toMatchObject({
      status: 400,
      body: { error: "baseline and candidate run ids are required" },
    });
    expect(await evaluate(`/runs/compare?baseline=${runId}&candidate=${other}`)).toMatchObject({ status: 400 });
    expect(await evaluate(`/runs/compare?baseline=${runId}&candidate=none`)).toMatchObject({
      status: 404,
      body: { error: "Run not found" },
    });
  });
});

test("the versions of an agent are compared over a dataset's completed runs", async () => {
  const versioned = (version: string) => ({ more: { evaluationSubject: { metadata: { version } } } });
  await makeRun({ ratings: [9, 9], ...versioned("v1"), variant: 0 });
  const latest = await makeRun({ ratings: [6, 7], ...versioned(" v2 ") });
  await makeRun({ ratings: [1], ...versioned("v3"), status: null });

  const { body } = await evaluate(`/datasets/${datasetId}/run-comparison`);

  expect(comparedVersions.parse(body)).toMatchObject({
    versions: [
      { version: "v2", runCount: 1, ratedCount: 2, averageRating: 6.5, latestRunId: latest },
      { version: "v1", runCount: 1, ratedCount: 2, averageRating: 9 },
    ],
    comparison: { candidateVersion: "v2", baselineVersion: "v1", candidateAvg: 6.5, baselineAvg: 9, passed: false },
  });
  expect(await evaluate("/datasets/none/run-comparison")).toMatchObject({
    status: 404,
    body: { error: "Dataset not found" },
  });
});
