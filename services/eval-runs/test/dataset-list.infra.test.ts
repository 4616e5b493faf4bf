import { datasetSummaries } from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;

const system = useTestSystem();
const running = useService(system);

beforeEach(() => {
  client = createProjectClient(running.address);
});

const questions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ main_question: { query: `question ${index}` } }));

const list = async (query = "") => {
  const { status, body } = await client.send("GET", `/datasets?view=summary${query}`);
  expect(status).toBe(200);
  return datasetSummaries.strict().parse(body);
};

describe("the summary of datasets", () => {
  test("has counts, version and times, and no questions", async () => {
    const id = await client.createDataset({
      name: "Orders",
      description: "What customers ask.",
      questions: questions(3),
    });
    expect((await list()).datasets).toEqual([
      {
        _id: id,
        name: "Orders",
        description: "What customers ask.",
        caseCount: 3,
        version: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        lastRunAt: null,
      },
    ]);

    await client.send("PUT", `/datasets/${id}`, { name: "Orders 2", questions: questions(1) });
    await client.createRun(id);
    const last = await client.readRun(await client.createRun(id));

    const [changed] = (await list()).datasets;
    expect(changed).toMatchObject({ name: "Orders 2", caseCount: 1, version: 2, lastRunAt: last.createdAt });
    expect(changed).not.toHaveProperty("description");
    expect(Date.parse(changed?.updatedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(changed?.createdAt ?? ""));
  });

  test("comes in pages, newest first", async () => {
    for (const name of ["a", "b", "c"]) await client.createDataset({ name });
    const first = await list("&limit=2");
    expect(first).toMatchObject({ totalCount: 3, hasNextPage: true });
    expect(first.datasets.map(({ name }) => name)).toEqual(["c", "b"]);
    const second = await list(`&limit=2&cursor=${first.nextCursor}`);
    expect(second.datasets.map(({ name }) => name)).toEqual(["a"]);
    expect(second).toMatchObject({ totalCount: 3, hasNextPage: false, nextCursor: null });
  });

  test("is searched by name and description, in any case and with any character", async () => {
    await client.createDataset({ name: "Refund 100%_policy" });
    await client.createDataset({ name: "Other", description: "About REFUNDS." });
    await client.createDataset({ name: "Third" });
    const names = async (search: string) => {
      const { datasets, totalCount } = await list(`&search=${encodeURIComponent(search)}`);
      expect(totalCount).toBe(datasets.length);
      return datasets.map(({ name }) => name);
    };
    expect(await names("refund")).toEqual(["Other", "Refund 100%_policy"]);
    expect(await names("0%_p")).toEqual(["Refund 100%_policy"]);
    expect(await names("\u0000\\")).toEqual([]);
  });

  test("shows names that no column can hold", async () => {
    await client.send("POST", "/datasets", '{"name":"a\\u0000b\\ud800","questions":[]}');
    await client.createDataset({ name: "n".repeat(2_000) });
    expect((await list()).datasets.map(({ name }) => name)).toEqual(["n".repeat(500), "ab\ufffd"]);
  });

  test("is computed for datasets stored without one, and again when a version arrived without one", async () => {
    const id = await client.createDataset({ name: "Old", questions: questions(2) });
    const forget = (set: string) =>
      system
        .open("app")
        .scoped([client.projectId], (transaction) =>
          transaction.query({ name: "forget", text: `update evals.datasets set ${set} where id = $1`, values: [id] }),
        );
    await forget("name = null, description = null, case_count = null, summarized_version = null");
    expect((await list("&search=old")).datasets).toMatchObject([{ name: "Old", caseCount: 2 }]);
    await forget("name = 'stale', summarized_version = 0");
    expect((await list()).datasets).toMatchObject([{ name: "Old" }]);
  });

  test("of one dataset is read by its id, in its project only", async () => {
    const empty = await client.createDataset({ name: "of one", questions: [] });
    await client.createDataset({ name: "of another", questions: questions(1) });

    expect(await list(`&datasetId=${empty}`)).toMatchObject({
      totalCount: 1,
      datasets: [{ _id: empty, caseCount: 0 }],
    });
    const stranger = createProjectClient(running.address);
    const { body } = await stranger.send("GET", `/datasets?view=summary&datasetId=${empty}`);
    expect(body).toMatchObject({ datasets: [], totalCount: 0 });
  });

  test("of another project shows nothing", async () => {
    const id = await client.createDataset({ name: "mine" });
    const stranger = createProjectClient(running.address);
    const { body } = await stranger.send("GET", `/datasets?view=summary&cursor=${id}`);
    expect(body).toEqual({ datasets: [], totalCount: 0, hasNextPage: false, nextCursor: null });
  });

  test.for([
    ["view=short", "view must be summary"],
    ["view=summary&limit=0", "limit must be a number between 1 and 200"],
    ["view=summary&limit=201", "limit must be a number between 1 and 200"],
    ["view=summary&datasetId=x", "datasetId must be the id of a dataset"],
    ["view=summary&cursor=x", "cursor must be the id of a dataset"],
  ] as const)("refuses %s", async ([query, error]) => {
    expect(await client.send("GET", `/datasets?${query}`)).toMatchObject({ status: 400, body: { error } });
  });
});
