import { comparedRuns, resultList, run as runSchema } from "@touchstone/contracts";
import { buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let datasetId: string;
let toneId: string;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(() => {
  // An answer contains its ratings, the run's and Tone's: `8 3`; a dash means unrated.
  judge.behave(({ judges, case: { output } }) => {
    const said = (output ?? "").split(" ");
    const verdicts = judges.map(({ id, name }) => {
      const rating = said[name === "Tone" ? 1 : 0] ?? "-";
      const spoken = { judgeId: id, model: "fake", durationMs: 1 };
      return rating === "-"
        ? { ...spoken, status: "skipped" as const, rating: null, justification: "No key.", reason: "no_key" as const }
        : {
            ...spoken,
            status: "scored" as const,
            rating: Number(rating),
            justification: `${name}: ${rating}.`,
            reason: null,
          };
    });
    return { verdicts, similarity: { rouge: 0.5 }, deterministic: [{ name: "Length", score: 1 }] };
  });
});

const running = useService(system);

beforeEach(async () => {
  client = createProjectClient(running.address);
  datasetId = await client.createDataset({
    name: "Orders",
    numberOfRequests: 2,
    rougeScore: { enabled: true },
    codeScorers: [{ name: "Length", code: "return 1" }],
    questions: [0, 1, 2].map((index) => ({
      main_question: { query: `Question ${index}?`, expectedResults: index === 2 ? undefined : `Answer ${index}.` },
    })),
  });
  toneId = (await client.send("POST", "/evaluation-settings", { name: "Tone", acceptanceCriteria: "Polite." })).body
    ._id;
});

type Answer = [questionIndex: number, text: string, more?: object];

/** A run whose answers say how they are to be rated. */
async function makeRun(answers: readonly Answer[], more: object = { additionalScorerIds: [toneId] }): Promise<string> {
  const runId = await client.createRun(datasetId, more);
  for (const [questionIndex, text, extra] of answers) {
    await client.submit(runId, [buildResult({ questionIndex, output: { text }, ...extra })]);
  }
  await client.finalize(runId);
  return runId;
}

const list = async (runId: string, query = "") => {
  const { status, body } = await client.send("GET", `/runs/${runId}/results?${query}`);
  expect(status).toBe(200);
  return resultList.parse(body);
};
const shown = ({
  results,
}: {
  results: { questionIndex: number | null; output: { text?: string | undefined } | null }[];
}) => results.map(({ questionIndex, output }) => `${questionIndex}:${output?.text}`);

const answers: Answer[] = [
  [0, "9 1"],
  [0, "5 2", { runNumber: 2 }],
  [0, "0 0", { isSmokeTestVariant: true }],
  [1, "2 8"],
  [2, "- 4"],
];

describe("the results of a run", () => {
  test("have their id, the reason for a missing rating, the expected answer, and the figures of their case", async () => {
    const runId = await makeRun(answers);

    const { results, totalCount, caseCount } = await list(runId);

    expect({ totalCount, caseCount }).toEqual({ totalCount: 5, caseCount: 3 });
    const whole = await client.readRun(runId);
    expect(results.map(({ expected, ofCase, ...row }) => row)).toEqual(runSchema.parse(whole).results);
    expect(results[0]).toMatchObject({
      expected: "Answer 0.",
      skipCode: null,
      ofCase: { rating: 7, minRating: 5, maxRating: 9, results: 2, baselineRating: null, delta: null },
    });
    expect(results[4]).toMatchObject({ expected: null, skipCode: "no_key", ofCase: { rating: null, results: 1 } });
  });

  test.for([
    ["", "0:9 1, 0:0 0, 0:5 2, 1:2 8, 2:- 4"],
    ["sort=rating", "1:2 8, 0:9 1, 0:0 0, 0:5 2, 2:- 4"],
    ["sort=-rating", "0:9 1, 0:0 0, 0:5 2, 1:2 8, 2:- 4"],
    ["sort=rating&scorer=Tone", "0:9 1, 0:0 0, 0:5 2, 2:- 4, 1:2 8"],
    ["status=skipped", "2:- 4"],
    ["status=skipped&scorer=Tone", "2:- 4"],
    ["ratingMax=5&ratingAbove=2", "0:5 2"],
    ["ratingMax=2&scorer=Tone", "0:9 1, 0:0 0, 0:5 2"],
    ["questionIndex=1", "1:2 8"],
    ["questionIndex=7", ""],
  ] as const)("asked with %s: %s", async ([query, expected]) => {
    const runId = await makeRun(answers);
    expect(shown(await list(runId, query)).join(", ")).toBe(expected);
  });

  test("are found by their id, each with the figures of its whole case", async () => {
    const runId = await makeRun(answers);
    const [first] = (await list(runId)).results;
    const { results, totalCount } = await list(runId, `resultId=${first?._id}`);
    expect(results).toEqual([first]);
    expect(totalCount).toBe(1);
    expect((await list(runId, "resultId=none")).results).toEqual([]);
  });

  test("are read page by page, each once, in any order", async () => {
    const runId = await makeRun(answers);
    const read: string[] = [];
    let cursor = "";
    for (let page = 0; page < 3; page += 1) {
      const { hasNextPage, nextCursor, ...rest } = await list(runId, `sort=rating&limit=2&cursor=${cursor}`);
      read.push(...shown(rest));
      expect(hasNextPage).toBe(page < 2);
      cursor = nextCursor ?? "";
    }
    expect(read).toEqual(shown(await list(runId, "sort=rating")));
  });

  test("are held against another run of the dataset, the greatest loss first", async () => {
    const baseline = await makeRun([
      [0, "8 5"],
      [1, "9 9"],
    ]);
    const runId = await makeRun(answers);

    const { results } = await list(runId, `baseline=${baseline}&sort=delta`);

    expect(results.map(({ questionIndex, ofCase }) => [questionIndex, ofCase.baselineRating, ofCase.delta])).toEqual([
      [1, 9, -7],
      [0, 8, -1],
      [0, 8, -1],
      [0, 8, -1],
      [2, null, null],
    ]);
    const byTone = await list(runId, `baseline=${baseline}&scorer=${toneId}&questionIndex=0`);
    expect(byTone.results[0]?.ofCase).toMatchObject({ rating: 1.5, baselineRating: 5, delta: -3.5 });
  });

  test("keep NUL and big numbers as they came", async () => {
    const runId = await makeRun([[0, "7\u0000 1"]]);
    expect((await list(runId)).results[0]?.output).toEqual({ text: "7\u0000 1" });
  });

  test.for([
    ["limit=0", "limit must be a number between 1 and 200"],
    ["cursor=none", "cursor must be the id of a result"],
    ["cursor=00000000-0000-7000-8000-000000000000", "Unknown cursor"],
    ["status=done", "status must be scored, skipped or failed"],
    ["sort=name", "sort must be case, rating, -rating, spread or delta"],
    ["ratingMax=high", "ratingMax must be a number"],
    ["scorer=Nobody", 'Unknown scorer "Nobody"'],
  ] as const)("refuse %s: %s", async ([query, error]) => {
    const runId = await makeRun([]);
    expect(await client.send("GET", `/runs/${runId}/results?${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  test("are the project's own, and its baseline is a run of the same dataset", async () => {
    const runId = await makeRun([]);
    const other = await client.createRun(await client.createDataset({ name: "Other" }));
    const missing = "00000000-0000-7000-8000-000000000000";
    const notFound = { status: 404, body: { error: "Run not found" } };
    expect(await createProjectClient(running.address).send("GET", `/runs/${runId}/results`)).toMatchObject(notFound);
    expect(await client.send("GET", `/runs/${missing}/results`)).toMatchObject(notFound);
    expect(await client.send("GET", `/runs/${runId}/results?baseline=${missing}`)).toMatchObject(notFound);
    expect(await client.send("GET", `/runs/${runId}/results?baseline=${other}`)).toMatchObject({
      status: 400,
      body: { error: "The baseline is a run of another dataset" },
    });
  });
});

describe("a run", () => {
  test("reads the same without its results, which are the most of it", async () => {
    const runId = await makeRun(answers);

    const { body } = await client.send("GET", `/runs/${runId}?results=none`);

    expect(runSchema.parse(body)).toEqual({ ...(await client.readRun(runId)), results: [] });
    expect(await client.send("GET", `/runs/${runId}?results=some`)).toMatchObject({
      status: 400,
      body: { error: "results must be all or none" },
    });
  });

  test("reads and is listed the same without its case statistics, which grow with its cases", async () => {
    const runId = await makeRun(answers);
    const whole = await client.readRun(runId);
    expect(whole.caseStatistics).toHaveLength(1);

    const read = await client.send("GET", `/runs/${runId}?caseStatistics=none`);
    const listed = await client.send("GET", "/runs?caseStatistics=none");

    expect(runSchema.parse(read.body)).toEqual({ ...whole, caseStatistics: [] });
    expect(listed.body.runs[0]).toMatchObject({ _id: runId, caseStatistics: [], averageRating: whole.averageRating });
    for (const path of [`/runs/${runId}`, "/runs"]) {
      expect(await client.send("GET", `${path}?caseStatistics=some`)).toMatchObject({
        status: 400,
        body: { error: "caseStatistics must be all or none" },
      });
    }
  });

  test("of one judge without metrics reads the same without its results, which are then not opened", async () => {
    datasetId = await client.createDataset({ name: "Plain", questions: [] });
    const runId = await makeRun(answers, {});

    const { body } = await client.send("GET", `/runs/${runId}?results=none`);

    expect(body).toEqual({ ...(await client.readRun(runId)), results: [] });
    expect(body).toMatchObject({ skips: [{ code: "no_key", count: 1 }], metrics: [] });
  });

  test("has the metrics of scorers that only its cases ask for, also without its results", async () => {
    datasetId = await client.createDataset({
      name: "Tools",
      questions: [{ main_question: { query: "Which?", expectedTrajectory: { tools: ["search"] } } }],
    });
    const runId = await makeRun([[0, "8"]], {});
    const whole = await client.readRun(runId);
    expect(whole.metrics).toMatchObject([{ name: "Trajectory match (strict)", kind: "code" }]);

    const { body } = await client.send("GET", `/runs/${runId}?results=none`);

    expect(body.metrics).toEqual(whole.metrics);
  });

  test("is no baseline for a scorer that it does not have, which rates none of its results, failed ones included", async () => {
    const failed = { output: null, error: { type: "Timeout", message: "too slow" } };
    const rated = await makeRun([[0, "8 9"]]);
    const without = await makeRun([[0, "", failed]], {});
    const candidate = await makeRun([[0, "8 5"]]);
    const gateOf = (query: string) =>
      client.send("GET", `/runs/${candidate}/gate?noRegression=true&scorer=Tone${query}`);

    expect((await gateOf("")).body).toMatchObject({ baselineRunId: rated, baselineAverage: 9, passed: false });
    expect(await gateOf(`&baseline=${without}`)).toMatchObject({
      status: 400,
      body: { error: "Unknown scorer: the baseline has no such scorer" },
    });
    const path = `/api/v1/evaluate/runs/compare?baseline=${without}&candidate=${candidate}&scorer=Tone`;
    const { cases } = comparedRuns.parse((await client.sendTo("GET", path)).body);
    expect(cases).toMatchObject([{ baseline: { rating: null }, candidate: { rating: 5 }, delta: null }]);
  });

  test("has its histogram, why results were skipped, and its metrics, paraphrases left out", async () => {
    const runId = await makeRun(answers);

    expect(await client.readRun(runId)).toMatchObject({
      datasetName: "Orders",
      datasetVersion: 1,
      askedCount: null,
      ratingHistogram: [0, 1, 0, 0, 1, 0, 0, 0, 1, 0],
      scorerBreakdown: [
        { primary: true, ratingHistogram: [0, 1, 0, 0, 1, 0, 0, 0, 1, 0] },
        { name: "Tone", ratingHistogram: [1, 1, 0, 1, 0, 0, 0, 1, 0, 0] },
      ],
      skips: [{ code: "no_key", count: 1 }],
      metrics: [
        { name: "ROUGE-L", kind: "similarity", average: 0.5, computed: 3, passed: null },
        { name: "Length", kind: "code", average: 1, computed: 4, passed: 4 },
      ],
    });
  });

  test("in progress says how many results are asked for", async () => {
    const runId = await client.createRun(datasetId);
    expect(await client.readRun(runId)).toMatchObject({ status: "in_progress", askedCount: 6, metrics: [], skips: [] });
  });

  test("keeps the name of its dataset until that is gone", async () => {
    const runId = await makeRun([]);
    await client.send("PUT", `/datasets/${datasetId}`, { name: "Renamed", questions: [] });
    expect(await client.readRun(runId)).toMatchObject({ datasetName: "Renamed", datasetVersion: 1 });
    await client.send("DELETE", `/datasets/${datasetId}`);
    expect(await client.readRun(runId)).toMatchObject({ datasetName: null, datasetVersion: 1 });
  });
});

describe("two runs side by side", () => {
  const compare = async (query: string) => {
    const { status, body } = await client.sendTo("GET", `/api/v1/evaluate/runs/compare?${query}`);
    expect(status).toBe(200);
    return comparedRuns.parse(body);
  };

  test("show the expected answer of each case, and the result, trace and usage of each side", async () => {
    const baseline = await makeRun([[0, "9 4"]]);
    const timings = { latencyMs: 12, inputTokens: 3, outputTokens: 4 };
    const candidate = await makeRun([[0, "7 2", { traceId: "trace-1", timings }]]);

    const { cases, comparedScorer } = await compare(`baseline=${baseline}&candidate=${candidate}`);

    const [first] = (await list(candidate)).results;
    expect(comparedScorer).toBeNull();
    expect(cases).toHaveLength(1);
    expect(cases[0]).toMatchObject({
      expected: "Answer 0.",
      baseline: { rating: 9, traceId: null, latencyMs: null },
      candidate: { rating: 7, resultId: first?._id, traceId: "trace-1", ...timings },
      delta: -2,
    });
  });

  test("are compared as another scorer rated them", async () => {
    const baseline = await makeRun([[0, "9 4"]]);
    const candidate = await makeRun([[0, "7 5"]]);

    const { cases, comparedScorer, candidateRun } = await compare(
      `baseline=${baseline}&candidate=${candidate}&scorer=Tone`,
    );

    expect(comparedScorer).toEqual({ id: toneId, name: "Tone" });
    expect(candidateRun.averageRating).toBe(5);
    expect(cases[0]).toMatchObject({
      baseline: { rating: 4 },
      candidate: { rating: 5, justification: "Tone: 5." },
      delta: 1,
    });
    expect(
      await client.sendTo(
        "GET",
        `/api/v1/evaluate/runs/compare?baseline=${baseline}&candidate=${candidate}&scorer=Nobody`,
      ),
    ).toMatchObject({ status: 400, body: { error: 'Unknown scorer "Nobody"' } });
  });

  test("are cut to previews on request", async () => {
    const long = `7 1 ${"x".repeat(1_000)}`;
    const [baseline, candidate] = [await makeRun([[0, long]]), await makeRun([[0, long]])];
    const query = `baseline=${baseline}&candidate=${candidate}`;
    expect((await compare(query)).cases[0]?.candidate.output).toBe(long);
    expect((await compare(`${query}&view=preview`)).cases[0]?.candidate.output).toBe(long.slice(0, 300));
  });
});
