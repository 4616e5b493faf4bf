import { comparedVersions, missingResults, runList } from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { until } from "./conditions.ts";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

beforeEach(async () => {
  judge.behave(() => rate(7));
  client = createProjectClient(running.address);
  datasetId = await client.createDataset(buildDataset({ numberOfRequests: 2 }));
});

const list = async (query = "") => {
  const { status, body } = await client.send("GET", `/runs?${query}`);
  expect(status).toBe(200);
  return runList.parse(body);
};

describe("the list of runs", () => {
  test("has each run as it reads alone, but for results and what only they say, newest first", async () => {
    const first = await client.createRun(datasetId, { evaluationSubject: { version: "1" } });
    await client.submit(first, [
      buildResult(),
      buildResult({ runNumber: 2 }),
      buildResult({ isSmokeTestVariant: true }),
    ]);
    await client.finalize(first);
    const made = [first];
    for (let index = 0; index < 11; index += 1) made.unshift(await client.createRun(datasetId));

    const { runs, hasNextPage, nextCursor } = await list();

    const alone = await Promise.all(
      made.map(async (runId) => {
        const { results, smokeTestVariants, skips, metrics, ...listed } = await client.readRun(runId);
        expect({ results, smokeTestVariants, skips, metrics }).toBeDefined();
        return listed;
      }),
    );
    expect(runs).toEqual(alone);
    expect(runs[11]).toMatchObject({ resultCount: 3, averageRating: 7, caseStatistics: [{ ratedCount: 2 }] });
    expect({ hasNextPage, nextCursor }).toEqual({ hasNextPage: false, nextCursor: null });
  });

  test("has the interval of each run as it reads alone, also when it is asked again and after more was rated", async () => {
    const runId = await client.createRun(datasetId);
    for (const questionIndex of [0, 1]) {
      for (const runNumber of [1, 2]) {
        judge.behave(() => rate(questionIndex + runNumber / 10 + 0.1));
        await client.submit(runId, [buildResult({ questionIndex, runNumber })]);
      }
    }
    await client.finalize(runId);
    const { ratingInterval } = await client.readRun(runId);
    expect(ratingInterval).toMatchObject({ cases: 2 });
    for (let time = 0; time < 2; time += 1) expect((await list()).runs[0]?.ratingInterval).toEqual(ratingInterval);
  });

  test("counts what matches, on all pages", async () => {
    for (let index = 0; index < 3; index += 1) await client.createRun(datasetId);
    expect(await list("limit=2")).toMatchObject({ totalCount: 3, hasNextPage: true });
    expect(await list("status=failed")).toMatchObject({ totalCount: 0 });
  });

  test("is filtered by source, subject, time and the subject's text", async () => {
    const create = (evaluationSubject: object, more: object = {}) =>
      client.createRun(datasetId, { evaluationSubject, ...more });
    const refund = await create({ displayName: "refund-agent", version: "1.4.0", metadata: { branch: "main" } });
    const search = await create(
      { displayName: "Süche 100%", git: { commit_sha: "d94c3b6" }, version: " ", metadata: { version: " 7\n" } },
      { runSource: "nightly" },
    );
    const hostile = await create({ displayName: "refund\u0000agent" });
    const idsOf = async (query: string) => (await list(query)).runs.map(({ runId }) => runId);

    expect(await idsOf("")).toEqual([hostile, search, refund]);
    expect(await idsOf("runSource=nightly")).toEqual([search]);
    expect(await idsOf("subject=refund-agent")).toEqual([refund]);
    expect(await idsOf("subject=refund")).toEqual([]);
    expect(await idsOf("version=1.4.0")).toEqual([refund]);
    expect(await idsOf("version=7")).toEqual([search]);
    expect(await idsOf("version=1.4")).toEqual([]);
    expect(await idsOf("version=(unversioned)")).toEqual([hostile]);
    expect(await idsOf("search=REFUND-")).toEqual([refund]);
    expect(await idsOf("search=1.4")).toEqual([refund]);
    expect(await idsOf("search=main")).toEqual([refund]);
    expect(await idsOf("search=d94c")).toEqual([search]);
    expect(await idsOf(`search=${encodeURIComponent("süche 100%")}`)).toEqual([search]);
    expect(await idsOf(`search=${encodeURIComponent("%")}`)).toEqual([search]);
    expect(await idsOf("search=agent")).toEqual([hostile, refund]);
    expect(await idsOf(`search=${hostile}`)).toEqual([hostile]);
    expect(await idsOf("search=displayName")).toEqual([]);
    expect(await idsOf("search=%00")).toEqual([hostile]);
    expect(await idsOf("from=2020-01-01&to=2021-01-01")).toEqual([]);
    expect(await idsOf("from=2020-01-01")).toEqual([hostile, search, refund]);
  });

  test("has under each version the runs that the comparison of versions counts", async () => {
    const subjects = [
      { version: "1.4.0" },
      { version: "\u00a01.4.0\u3000" },
      { version: "\t", metadata: { version: 1.4 } },
      { version: { major: 1 }, metadata: { version: true } },
      { version: "" },
      null,
    ];
    for (const evaluationSubject of subjects) {
      await client.finalize(await client.createRun(datasetId, { evaluationSubject }));
    }
    // Neither is counted.
    const evaluationSubject = { version: "1.4.0" };
    await client.finalize(await client.createRun(datasetId, { evaluationSubject, runSource: "external" }));
    await client.createRun(datasetId, { evaluationSubject });

    const { body } = await client.sendTo("GET", `/api/v1/evaluate/datasets/${datasetId}/run-comparison`);
    const { versions } = comparedVersions.parse(body);
    expect(versions.map(({ version, runCount }) => [version, runCount])).toEqual([
      ["(unversioned)", 3],
      ["1.4", 1],
      ["1.4.0", 2],
    ]);
    for (const { version, runCount } of versions) {
      const query = new URLSearchParams({ datasetId, version, status: "completed", judged: "true" });
      expect((await list(`${query}`)).totalCount).toBe(runCount);
    }
  });

  test("is read page by page, each run once", async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.unshift(await client.createRun(datasetId));
    const read: string[] = [];
    let cursor = "";
    for (let page = 0; page < 3; page += 1) {
      const { runs, hasNextPage, nextCursor } = await list(`limit=2&cursor=${cursor}`);
      read.push(...runs.map(({ runId }) => runId));
      expect(hasNextPage).toBe(page < 2);
      cursor = nextCursor ?? "";
    }
    expect(read).toEqual(made);
  });

  test("holds a cursor whose run is gone", async () => {
    const oldest = await client.createRun(datasetId);
    const gone = await client.createRun(datasetId);
    expect(await client.send("DELETE", `/runs/${gone}`)).toMatchObject({ status: 200, body: { deleted: true } });
    expect((await list(`cursor=${gone}`)).runs.map(({ runId }) => runId)).toEqual([oldest]);
  });

  test("is narrowed by dataset and status", async () => {
    const other = await client.createDataset({ name: "Other" });
    const open = await client.createRun(datasetId);
    const done = await client.createRun(datasetId);
    await client.finalize(done);
    await client.createRun(other);
    const idsOf = async (query: string) => (await list(query)).runs.map(({ runId }) => runId);
    expect(await idsOf(`datasetId=${datasetId}`)).toEqual([done, open]);
    expect(await idsOf(`datasetId=${datasetId}&status=completed`)).toEqual([done]);
    expect(await idsOf("status=failed")).toEqual([]);
    expect(await idsOf("datasetId=none")).toEqual([]);
  });

  test.for([
    ["limit=0", "limit must be a number between 1 and 200"],
    ["limit=201", "limit must be a number between 1 and 200"],
    ["limit=many", "limit must be a number between 1 and 200"],
    ["cursor=none", "cursor must be the id of a run"],
    ["status=running", "status must be in_progress, completed or failed"],
    ["from=yesterday", "from must be an ISO 8601 date"],
    ["to=soon", "to must be an ISO 8601 date"],
  ] as const)("refuses %s: %s", async ([query, error]) => {
    expect(await client.send("GET", `/runs?${query}`)).toMatchObject({ status: 400, body: { error } });
  });
});

describe("the missing results of a run", () => {
  test("is each repetition of each case without a result, under the recommended key", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [
      buildResult({ idempotencyKey: "mine\u0000" }),
      buildResult({ idempotencyKey: "variant", questionIndex: 1, isSmokeTestVariant: true }),
      buildResult({ idempotencyKey: "second", questionIndex: 1, runNumber: 2 }),
    ]);

    const { body } = await client.send("GET", `/runs/${runId}/missing-results`);

    expect(missingResults.parse(body)).toEqual({
      runId,
      submittedKeys: ["mine\u0000", "variant", "second"],
      submittedCount: 3,
      missing: [
        { questionIndex: 0, runNumber: 2, idempotencyKey: `${runId}:case-0:run-2` },
        { questionIndex: 1, runNumber: 1, idempotencyKey: `${runId}:case-1:run-1` },
      ],
    });
    const question = { query: expect.any(String), followUps: [] };
    expect((await client.send("GET", `/runs/${runId}/missing-results?questions=1`)).body.missing).toEqual([
      { questionIndex: 0, runNumber: 2, idempotencyKey: `${runId}:case-0:run-2`, question },
      { questionIndex: 1, runNumber: 1, idempotencyKey: `${runId}:case-1:run-1` },
    ]);
    for (const questions of ["101", "-1", "all"]) {
      expect(await client.send("GET", `/runs/${runId}/missing-results?questions=${questions}`)).toMatchObject({
        status: 400,
        body: { error: "questions must be a number between 0 and 100" },
      });
    }
    expect(await client.send("GET", "/runs/none/missing-results")).toMatchObject({
      status: 404,
      body: { error: "Run not found" },
    });
  });
});

describe("deleting a run", () => {
  test("takes its results, gates and analysis along, and only the project's own run", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult()]);
    await client.send("GET", `/runs/${runId}/gate?failUnder=5&record=true`);
    await client.send("POST", `/runs/${runId}/analyze`);
    const notFound = { status: 404, body: { error: "Run not found" } };

    expect(await createProjectClient(running.address).send("DELETE", `/runs/${runId}`)).toMatchObject(notFound);
    expect((await client.readRun(runId)).resultCount).toBe(1);
    expect(await client.send("DELETE", `/runs/${runId}`)).toMatchObject({ status: 200, body: { deleted: true } });

    expect(await client.send("GET", `/runs/${runId}`)).toMatchObject(notFound);
    expect(await client.send("DELETE", `/runs/${runId}`)).toMatchObject(notFound);
    expect((await client.sendTo("GET", "/api/v1/evaluate/ci/gates")).body.gates).toEqual([]);
    expect(await client.submit(runId, [buildResult()])).toMatchObject(notFound);
  });

  test("while a result is judged lets nothing of it come back", async () => {
    const runId = await client.createRun(datasetId);
    let finish = (): void => {};
    judge.behave(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(rate(7));
        }),
    );
    const submitted = client.submit(runId, [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));

    expect((await client.send("DELETE", `/runs/${runId}`)).status).toBe(200);
    finish();

    expect(await submitted).toMatchObject({ status: 404, body: { error: "Run not found" } });
    expect((await client.sendTo("GET", "/api/v1/export/run-results")).text).toBe("");
  });
});
