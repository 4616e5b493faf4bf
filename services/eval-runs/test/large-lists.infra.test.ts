import { type datasetList, limits } from "@touchstone/contracts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { createProjectClient, type HttpAnswer, type ProjectClient, startRun } from "./project-client.ts";
import { storeResults } from "./stored-results.ts";
import { useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;

beforeAll(() => {
  // The service runs in this process. A page of the real size would only make this slow.
  Object.assign(limits, { listBytesMax: 100_000 });
});

const system = useTestSystem();
const running = useService(system);

beforeEach(() => {
  client = createProjectClient(running.address);
});

const prefix = "/api/v1";
/** Three fit on a page, a fourth does not. */
const text = "long ".repeat(6_000);
const count = 4;
const numbered = Array.from({ length: count }, (_, at) => at);

/** A list of four large things, how they are made, and where they stand in its answer. */
const lists = {
  datasets: {
    path: "/custom-agent-evaluations/datasets",
    body: (at: number) => ({ name: `d${at}`, evaluationCriteria: text }),
    name: "datasets",
  },
  "evaluation settings": {
    path: "/custom-agent-evaluations/evaluation-settings",
    body: (at: number) => ({ name: `s${at}`, evaluationCriteria: text }),
    name: "evaluationSettings",
  },
  "scorer groups": {
    path: "/agent-monitoring/scorer-groups",
    body: (at: number) => ({ name: `g${at}`, description: text, members: [] }),
    name: "scorerGroups",
  },
  prompts: {
    path: "/custom-agent-evaluations/prompts",
    body: (at: number) => ({ name: `p${at}`, text }),
    name: "prompts",
  },
  "tool schemas": {
    path: "/evaluate/tool-schemas",
    body: (at: number) => ({ name: `t${at}`, definition: text }),
    name: "toolSchemas",
  },
};

type Listed = { _id: string };

/** All pages of a list, whose answers say where they end. */
async function readPages(path: string, name: string): Promise<HttpAnswer[]> {
  const pages: HttpAnswer[] = [];
  for (let cursor: string | undefined | null = ""; typeof cursor === "string"; ) {
    const query = cursor === "" ? "" : `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
    const page = await client.sendTo("GET", `${prefix}${path}${query}`);
    expect(page.status, page.text.slice(0, 200)).toBe(200);
    expect(page.body[name].length).toBeGreaterThan(0);
    expect(page.text.length).toBeLessThan(limits.listBytesMax + 10_000);
    pages.push(page);
    cursor = page.body.nextCursor;
  }
  return pages;
}

describe("a list of more bytes than an answer may have", () => {
  test.each(Object.entries(lists))("of %s ends early, marks it, and continues", async (_what, { path, body, name }) => {
    const made: string[] = [];
    for (const at of numbered) {
      const reply = await client.sendTo("POST", `${prefix}${path}`, body(at));
      expect(reply.status, reply.text.slice(0, 200)).toBe(201);
      made.push(reply.body._id ?? reply.body[Object.keys(reply.body)[0] as string]._id);
    }
    // Evaluation settings are judge scorers, too. A project begins with some small ones.
    const others = name === "evaluationSettings" ? [["/agent-monitoring/judge-scorers", "judgeScorers"] as const] : [];
    for (const [listPath, member] of [[path, name] as const, ...others]) {
      const pages = await readPages(listPath, member);
      expect(pages.map(({ body: page }) => page.truncatedBy)).toEqual(["bytes", undefined]);
      expect(pages[0]?.body[member]).toHaveLength(3);
      const ids = pages.flatMap((page) => page.body[member].map(({ _id }: Listed) => _id));
      expect(ids.filter((id) => made.includes(id)).toSorted()).toEqual(made.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test("of versions ends early; the warning names the next page where the answer is an array", async () => {
    const id = await client.createDataset({ name: "d" });
    const { body: settings } = await client.send("POST", "/evaluation-settings", { name: "s" });
    const { body: schema } = await client.sendTo("POST", `${prefix}/evaluate/tool-schemas`, {
      name: "t",
      definition: "x",
    });
    for (const at of numbered) {
      const criteria = `${text}${at}`;
      await client.send("PUT", `/datasets/${id}`, { name: "d", evaluationCriteria: criteria });
      await client.send("PUT", `/evaluation-settings/${settings._id}`, { evaluationCriteria: criteria });
      await client.sendTo("PATCH", `${prefix}/evaluate/tool-schemas/${schema._id}`, { definition: criteria });
    }
    for (const path of [`datasets/${id}`, `evaluationSettings/${settings._id}`]) {
      const read = (query: string) => client.sendTo("GET", `${prefix}/evaluate/${path}/versions${query}`);
      const first = await read("");
      const rest = await read("?cursor=3");
      const numbers = (page: HttpAnswer) =>
        page.body.map(({ versionNumber }: { versionNumber: number }) => versionNumber);
      expect([numbers(first), numbers(rest)]).toEqual([
        [5, 4, 3],
        [2, 1],
      ]);
      expect(first.headers.get("x-touchstone-warning")).toBe("The list ends early for its size; go on with cursor=3.");
      expect(rest.headers.get("x-touchstone-warning")).toBeNull();
    }
    const pages = await readPages(`/evaluate/tool-schemas/${schema._id}/versions`, "versions");
    expect(pages.map(({ body }) => body.versions.map(({ version }: { version: number }) => version))).toEqual([
      [5, 4, 3],
      [2, 1],
    ]);
  });

  test("of runs ends early by what runs carry", async () => {
    const datasetId = await client.createDataset({ name: "d" });
    const made: string[] = [];
    for (const at of numbered)
      made.push(await client.createRun(datasetId, { evaluationSubject: { name: `${at}`, notes: text } }));
    const pages = await readPages("/custom-agent-evaluations/runs", "runs");
    expect(pages.map(({ body }) => [body.runs.length, body.totalCount, body.truncatedBy])).toEqual([
      [3, 4, "bytes"],
      [1, 4, undefined],
    ]);
    expect(pages.flatMap(({ body }) => body.runs.map(({ runId }: { runId: string }) => runId))).toEqual(
      made.toReversed(),
    );
  });

  test("of results ends early while it is sent", async () => {
    const runId = await startRun(client);
    const result = { runNumber: 1, isVariant: false, status: "scored", rating: 7, judges: null, output: text } as const;
    await storeResults(
      system,
      { projectId: client.projectId, runId },
      numbered.map((questionIndex) => ({ ...result, questionIndex })),
    );
    const pages = await readPages(`/custom-agent-evaluations/runs/${runId}/results`, "results");
    expect(pages.map(({ body }) => [body.results.length, body.totalCount, body.truncatedBy])).toEqual([
      [3, 4, "bytes"],
      [1, 4, undefined],
    ]);
    const shown = pages.flatMap(({ body }) =>
      body.results.map(({ questionIndex }: { questionIndex: number }) => questionIndex),
    );
    expect(shown).toEqual(numbered);
  });
});

test("a list of small things is whole and says nothing of pages; a limit cuts it", async () => {
  for (const at of numbered) await client.createDataset({ name: `d${at}` });
  const read = async (query: string): Promise<z.output<typeof datasetList>> =>
    (await client.send("GET", `/datasets${query}`)).body;
  expect(Object.keys(await read(""))).toEqual(["datasets"]);
  const first = await read("?limit=3");
  expect(first).toMatchObject({ datasets: { length: 3 }, hasNextPage: true });
  expect(first).not.toHaveProperty("truncatedBy");
  expect((await read(`?limit=3&cursor=${first.nextCursor}`)).datasets.map(({ name }) => name)).toEqual(["d0"]);
});

test("a page that ends at its limit does not say that its size ended it, however large its last thing is", async () => {
  const criteria = "x".repeat(limits.listBytesMax);
  for (const at of [0, 1]) await client.createDataset({ name: `d${at}`, evaluationCriteria: criteria });
  const { body } = await client.send("GET", "/datasets?limit=1");
  expect(body).toMatchObject({ datasets: [{ name: "d1" }], hasNextPage: true, nextCursor: expect.any(String) });
  expect(body).not.toHaveProperty("truncatedBy");
});

test.each([
  ["/custom-agent-evaluations/datasets?limit=0", "limit must be a number between 1 and 10000"],
  ["/custom-agent-evaluations/datasets?cursor=x", "cursor must be the id of a dataset"],
  ["/custom-agent-evaluations/prompts?limit=x", "limit must be a number between 1 and 10000"],
])("a page that is none is refused: %s", async (path, error) => {
  const reply = await client.sendTo("GET", `${prefix}${path}`);
  expect([reply.status, reply.body]).toEqual([400, { error }]);
});
