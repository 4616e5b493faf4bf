import { putCaseReply, staleDataset } from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { createProjectClient } from "./project-client.ts";
import { useProject, useService, useTestSystem } from "./test-system.ts";

let id: string;

const system = useTestSystem();
const running = useService(system);
const client = useProject(running);

const ask = (query: string, more: object = {}) => ({ main_question: { query, ...more } });

beforeEach(async () => {
  id = await client.createDataset({ name: "n", description: "kept", questions: [ask("first"), ask("second")] });
});

const put = (index: number | string, version: number | string, body: unknown, by = client) =>
  by.send("PUT", `/datasets/${id}/cases/${index}?version=${version}`, body);
const remove = (index: number | string, version: number | string, by = client) =>
  by.send("DELETE", `/datasets/${id}/cases/${index}?version=${version}`);
const read = async () => (await client.send("GET", `/datasets/${id}`)).body;
const queries = async (): Promise<string[]> =>
  (await read()).questions.map((question: { main_question: { query: string } }) => question.main_question.query);

describe("putting a case", () => {
  test("replaces the one in its place, as a new version; everything else stays", async () => {
    const changed = ask("first, again", { expectedResults: "yes" });

    const { status, body } = await put(0, 1, changed);

    expect(status).toBe(200);
    expect(putCaseReply.strict().parse(body)).toEqual({ version: 2, caseCount: 2, questionIndex: 0, case: changed });
    expect(await read()).toMatchObject({ description: "kept", version: 2, questions: [changed, ask("second")] });
    const versions = await client.sendTo("GET", `/api/v1/evaluate/datasets/${id}/versions`);
    expect(versions.body[0]).toMatchObject({ versionNumber: 2, changeSummary: "1 case added, 1 case removed" });
  });

  test("behind the last adds one, which needs no source", async () => {
    expect(await put(2, 1, ask("third"))).toMatchObject({ status: 201, body: { version: 2, caseCount: 3 } });
    expect(await queries()).toEqual(["first", "second", "third"]);
  });

  test("keeps the text as it was sent", async () => {
    const text = '{"main_question":{"query":"q\\u0000 \\ud800","n":1e400},"x":[ 1.0 ]}';
    const { status, text: answered } = await put(0, 1, text);
    expect(status).toBe(200);
    expect(answered).toContain(`"case":${text}`);
    expect((await client.send("GET", `/datasets/${id}`)).text).toContain(text);
  });

  test("of a version that is not the newest changes nothing, and returns the current state", async () => {
    await put(0, 1, ask("theirs"));

    const stale = await put(0, 1, ask("mine"));

    expect(stale.status).toBe(409);
    expect(staleDataset.strict().parse(stale.body)).toEqual({
      error: "The dataset changed since it was read: it is at version 2, not 1",
      version: 2,
      case: ask("theirs"),
    });
    expect((await put(7, 1, ask("mine"))).body).toMatchObject({ version: 2, case: null });
    expect(await queries()).toEqual(["theirs", "second"]);
    expect((await put(0, 2, ask("mine"))).status).toBe(200);
  });

  test("again, when the answer was lost, is done already", async () => {
    await put(0, 1, ask("mine"));
    expect(await put(0, 1, ask("mine"))).toMatchObject({ status: 200, body: { version: 2, questionIndex: 0 } });
    expect(await read()).toMatchObject({ version: 2 });
  });

  test("at once from one version lets one win", async () => {
    const answers = await Promise.all(["a", "b", "c", "d"].map((query) => put(1, 1, ask(query))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await read()).toMatchObject({ version: 2 });
  });

  test.for([
    ["a place beyond the end", 3, "1", ask("x"), 404, "Case not found"],
    ["a place that is no number", "x", "1", ask("x"), 404, "Case not found"],
    ["no version", 0, "", ask("x"), 400, "version is required: the one of the dataset that was read"],
    ["a version that is none", 0, "0", ask("x"), 400, "version must be the number of a version"],
    ["a case without a question", 0, "1", { main_question: {} }, 400, "Each question must have main_question.query"],
    [
      "a wrong member",
      0,
      "1",
      ask("x", { judgeGuideline: 1 }),
      400,
      "case.main_question.judgeGuideline must be a string",
    ],
  ] as const)("refuses %s", async ([, index, version, body, status, error]) => {
    expect(await put(index, version, body)).toMatchObject({ status, body: { error } });
    expect(await queries()).toEqual(["first", "second"]);
  });

  test("refuses a case that nests so deep that the dataset could not be sent back", async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { x: nested(levels - 1) });
    expect((await put(0, 1, { ...ask("deep"), more: nested(124) })).status).toBe(200);
    expect((await client.send("PUT", `/datasets/${id}`, await read())).status).toBe(200);
    expect((await put(1, 2, { ...ask("deeper"), more: nested(125) })).status).toBe(400);
  });
});

describe("deleting a case", () => {
  test("moves those behind it up; earlier versions and the runs of them keep it", async () => {
    const runId = await client.createRun(id);

    expect(await remove(0, 1)).toMatchObject({ status: 200, body: { deleted: true, version: 2, caseCount: 1 } });

    expect(await queries()).toEqual(["second"]);
    const missing = (await client.send("GET", `/runs/${runId}/missing-results`)).body.missing;
    expect(missing).toHaveLength(2);
  });

  test("of a version that is not the newest deletes nothing", async () => {
    await remove(0, 1);
    expect(await remove(0, 1)).toMatchObject({ status: 409, body: { version: 2, case: ask("second") } });
    expect(await remove(1, 2)).toMatchObject({ status: 404, body: { error: "Case not found" } });
    expect(await queries()).toEqual(["second"]);
  });
});

test("the cases of another project's dataset are not found, and stay", async () => {
  const stranger = createProjectClient(running.address);
  const notFound = { status: 404, body: { error: "Dataset not found" } };
  expect(await put(0, 1, ask("x"), stranger)).toMatchObject(notFound);
  expect(await remove(0, 1, stranger)).toMatchObject(notFound);
  expect(await queries()).toEqual(["first", "second"]);
});

describe("replacing a dataset", () => {
  const replace = (version: string, body: object) => client.send("PUT", `/datasets/${id}?version=${version}`, body);

  test("of a version that is not the newest changes nothing", async () => {
    expect((await replace("1", { name: "mine" })).status).toBe(200);
    const stale = await replace("1", { name: "too late" });
    expect(stale.status).toBe(409);
    expect(staleDataset.strict().parse(stale.body)).toEqual({
      error: "The dataset changed since it was read: it is at version 2, not 1",
      version: 2,
    });
    expect((await replace("x", { name: "n" })).status).toBe(400);
    expect((await read()).name).toBe("mine");
  });
});
