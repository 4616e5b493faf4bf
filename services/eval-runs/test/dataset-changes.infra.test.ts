import { dataset as datasetSchema, datasetVersions } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { untilOneWaits } from "./conditions.ts";
import { createProjectClient, type HttpAnswer } from "./project-client.ts";
import { useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

const system = useTestSystem();
useJudge(system);
const running = useService(system);
const client = useProject(running);

const ask = (query: string, more: object = {}) => ({ main_question: { query, ...more } });
const nobody = "6c1f4a4e-3f5b-4e0e-9b4e-1d2c3b4a5f60";

const replace = (id: string, body: unknown, by = client): Promise<HttpAnswer> =>
  by.send("PUT", `/datasets/${id}`, body);
const read = (id: string): Promise<HttpAnswer> => client.send("GET", `/datasets/${id}`);
const remove = (id: string, by = client): Promise<HttpAnswer> => by.send("DELETE", `/datasets/${id}`);
const versionsPath = (id: string): string => `/api/v1/evaluate/datasets/${id}/versions`;

async function versionsOf(id: string): Promise<{ _id: string; versionNumber: number; changeSummary: string }[]> {
  const { status, body } = await client.sendTo("GET", versionsPath(id));
  expect(status).toBe(200);
  return body;
}

describe("replacing a dataset", () => {
  test("puts the whole body in its place, under the same id and time", async () => {
    const created = (
      await client.send("POST", "/datasets", {
        name: "Orders",
        description: "Old.",
        acceptanceCriteria: "Polite.",
        questions: [ask("Where?")],
      })
    ).body;

    const { status, body } = await replace(created._id, { name: "Orders 2", questions: [ask("When?")] });

    expect(status).toBe(200);
    expect(datasetSchema.strict().parse(body)).toEqual({
      _id: created._id,
      name: "Orders 2",
      numberOfRequests: 1,
      questions: [ask("When?")],
      status: "published",
      version: 2,
      createdAt: created.createdAt,
    });
    expect((await read(created._id)).body).toEqual(body);
  });

  test("the same document is no new version, however it is spaced; any other one is", async () => {
    const id = await client.createDataset({ name: "n", questions: [ask("a b")] });
    await replace(id, '{ "questions" : [ { "main_question":\n{"query" :"a b"} } ],\t"name":"n" }');
    expect(await versionsOf(id)).toHaveLength(1);

    await replace(id, { name: "n", questions: [ask("a  b")] });
    await replace(id, '{"name":"n","questions":[{"main_question":{"query":"a  b","n":1e400}}]}');
    await replace(id, '{"name":"n","questions":[{"main_question":{"query":"a  b","n":1e500}}]}');
    expect((await versionsOf(id)).map(({ versionNumber }) => versionNumber)).toEqual([4, 3, 2, 1]);
  });

  test.each([
    [{}, "name is required"],
    [{ name: "n", numberOfRequests: 0 }, "numberOfRequests must be an integer between 1 and 20"],
    [{ name: "n", questions: [{}] }, "Each question must have main_question.query"],
  ])("refuses %j as creating does, and changes nothing", async (body, error) => {
    const id = await client.createDataset({ name: "kept" });
    expect(await replace(id, body)).toMatchObject({ status: 400, body: { error } });
    expect((await read(id)).body.name).toBe("kept");
    expect(await versionsOf(id)).toHaveLength(1);
  });

  test("a run goes on with the version it was created with", async () => {
    const id = await client.createDataset({ name: "n", questions: [ask("first"), ask("second")] });
    const runId = await client.createRun(id);
    await replace(id, { name: "n", questions: [ask("other")] });

    await client.submit(runId, [{ idempotencyKey: "k", questionIndex: 1, output: { text: "o" } }]);

    expect((await client.readRun(runId)).results).toMatchObject([{ questionText: "second" }]);
    const later = await client.createRun(id);
    await client.submit(later, [{ idempotencyKey: "k", questionIndex: 0, output: { text: "o" } }]);
    expect((await client.readRun(later)).results).toMatchObject([{ questionText: "other" }]);
  });

  test("an unknown, malformed or foreign id is 404", async () => {
    const foreign = await createProjectClient(running.address).createDataset({ name: "foreign" });
    for (const id of [nobody, "1", foreign]) {
      const refusal = { status: 404, body: { error: "Dataset not found" } };
      expect(await replace(id, { name: "n" })).toMatchObject(refusal);
      expect(await remove(id)).toMatchObject(refusal);
      expect(await client.sendTo("GET", versionsPath(id))).toMatchObject(refusal);
      expect(await client.sendTo("DELETE", `${versionsPath(id)}/${id}:1`)).toMatchObject(refusal);
    }
  });
});

describe("deleting a dataset", () => {
  test("removes it with its unused versions; its runs stay readable and can be finished", async () => {
    const id = await client.createDataset({ name: "v1", questions: [ask("first")] });
    const runId = await client.createRun(id);
    await replace(id, { name: "v2", questions: [ask("second")] });

    const { status, body } = await remove(id);

    expect([status, body]).toEqual([200, { deleted: true }]);
    expect((await read(id)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    expect((await client.send("POST", "/runs", { datasetId: id })).status).toBe(404);
    const exported = (await client.sendTo("GET", "/api/v1/export/dataset-versions")).text.split("\n");
    expect(exported.filter((line) => line.includes(id)).map((line) => JSON.parse(line).id)).toEqual([`${id}:1`]);

    await client.submit(runId, [{ idempotencyKey: "k", questionIndex: 0, output: { text: "o" } }]);
    expect((await client.finalize(runId)).body.status).toBe("completed");
    expect(await client.readRun(runId)).toMatchObject({ status: "completed", results: [{ status: "scored" }] });
  });

  test("is no effect of deleting its runs: it keeps every version", async () => {
    const id = await client.createDataset({ name: "v1", questions: [ask("first")] });
    const early = await client.createRun(id);
    await replace(id, { name: "v2", questions: [ask("second")] });
    for (const runId of [early, await client.createRun(id)]) {
      expect((await client.send("DELETE", `/runs/${runId}`)).status).toBe(200);
    }
    expect((await read(id)).body).toMatchObject({ name: "v2", version: 2 });
    const versions = (await client.sendTo("GET", versionsPath(id))).body;
    expect(versions.map(({ versionNumber }: { versionNumber: number }) => versionNumber)).toEqual([2, 1]);
  });

  test("keeps the version of a run that is being stored at this moment", async () => {
    const id = await client.createDataset({ name: "n", questions: [ask("q")] });
    const runId = uuidv7(Date.now());
    const beside = system.open("app");
    const { removing } = await beside.scoped([client.projectId], async (transaction) => {
      await transaction.query({
        name: "test_run_insert",
        text: `
          insert into evals.runs (project_id, id, dataset_id, dataset_version, run_source, created_at)
          values ($1, $2, $3, 1, 'sdk', now())`,
        values: [client.projectId, runId, id],
      });
      const removing = remove(id);
      await untilOneWaits(beside);
      return { removing };
    });

    expect((await removing).body).toEqual({ deleted: true });
    expect(await client.readRun(runId)).toMatchObject({ runId, status: "in_progress" });
    await client.submit(runId, [{ idempotencyKey: "k", questionIndex: 0, output: { text: "o" } }]);
    expect((await client.readRun(runId)).results).toMatchObject([{ questionText: "q" }]);
  });

  test("concurrent with the creation of runs may go first or second; no request gets a server error", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const id = await client.createDataset({ name: "n", questions: [ask("q")] });
        const [made, removed] = await Promise.all([client.send("POST", "/runs", { datasetId: id }), remove(id)]);
        expect(removed.status).toBe(200);
        if (made.status === 201) await client.readRun(made.body.runId);
        return made.status;
      }),
    );
    for (const status of outcomes) expect([201, 404]).toContain(status);
  });
});

describe("the versions of a dataset", () => {
  test("are listed newest first, with what changed in words and the dataset as it was", async () => {
    const id = await client.createDataset({ name: "n", questions: [ask("a")] });
    await replace(id, { name: "n", acceptanceCriteria: "Polite.", questions: [ask("a"), ask("b"), ask("c")] });

    const { text, body } = await client.sendTo("GET", versionsPath(id));

    expect(datasetVersions.parse(body)).toEqual([
      {
        _id: `${id}:2`,
        versionNumber: 2,
        changeSummary: "2 cases added, criteria changed",
        snapshot: expect.objectContaining({ acceptanceCriteria: "Polite.", questions: [ask("a"), ask("b"), ask("c")] }),
        createdAt: expect.stringMatching(/Z$/),
        creator: null,
      },
      {
        _id: `${id}:1`,
        versionNumber: 1,
        changeSummary: "Created",
        snapshot: { name: "n", numberOfRequests: 1, questions: [ask("a")] },
        createdAt: expect.stringMatching(/Z$/),
        creator: null,
      },
    ]);
    expect(text).toContain('"snapshot":{"name":"n"');
  });

  test("may be deleted, but for the newest and those a run uses", async () => {
    const id = await client.createDataset({ name: "v1" });
    await replace(id, { name: "v2" });
    await client.createRun(id);
    await replace(id, { name: "v3" });
    const drop = async (version: string) => {
      const { status, body } = await client.sendTo("DELETE", `${versionsPath(id)}/${encodeURIComponent(version)}`);
      expect(status).toBe(200);
      return body;
    };

    expect(await drop(`${id}:3`)).toEqual({ deleted: false });
    expect(await drop(`${id}:2`)).toEqual({ deleted: false });
    expect(await drop(`${id}:1`)).toEqual({ deleted: true });
    expect(await drop(`${id}:1`)).toEqual({ deleted: false });
    for (const other of [`${nobody}:1`, "1", "x", `${id}:999999999`])
      expect(await drop(other)).toEqual({ deleted: false });
    expect((await versionsOf(id)).map(({ _id }) => _id)).toEqual([`${id}:3`, `${id}:2`]);

    await replace(id, { name: "v4" });
    expect((await versionsOf(id)).map(({ versionNumber }) => versionNumber)).toEqual([4, 3, 2]);
  });

  test("are counted for several datasets at once, of the project's own", async () => {
    const one = await client.createDataset({ name: "one" });
    const two = await client.createDataset({ name: "two" });
    await replace(two, { name: "two changed" });
    const foreign = await createProjectClient(running.address).createDataset({ name: "foreign" });
    const countOf = async (query: string) =>
      (await client.sendTo("GET", `/api/v1/evaluate/datasets/batch/versions${query}`)).body;

    expect(await countOf(`?ids=${one},${two},${foreign},${nobody},x`)).toEqual({
      versionCounts: { [one]: 1, [two]: 2 },
    });
    expect(await countOf("")).toEqual({ versionCounts: {} });
  });
});
