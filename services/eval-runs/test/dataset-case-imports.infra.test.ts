import { importedCases, staleDataset } from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { createProjectClient, type HttpAnswer } from "./project-client.ts";
import { useProject, useService, useTestSystem } from "./test-system.ts";

let id: string;

const system = useTestSystem();
const running = useService(system);
const client = useProject(running);

const ask = (query: string, more: object = {}) => ({ main_question: { query, ...more } });

beforeEach(async () => {
  const questions = [{ ...ask("first", { expectedResults: "1" }), tags: ["x"] }, ask("second")];
  id = await client.createDataset({ name: "n", description: "kept", questions });
});

const send = (query: string, rows: string, by = client): Promise<HttpAnswer> =>
  by.send("POST", `/datasets/${id}/import${query}`, rows, { "content-type": "text/csv" });
const read = async () => (await client.send("GET", `/datasets/${id}`)).body;
const rows = "query,expected_results\nFirst,one\nsecond,\nthird,three\n ,\n";

describe("importing into a dataset", () => {
  test("adds new cases, changes those with the same question, and reports both", async () => {
    const { status, body } = await send("", rows);

    expect(status).toBe(200);
    const changed = { ...ask("First", { expectedResults: "one" }), tags: ["x"] };
    const third = ask("third", { expectedResults: "three" });
    expect(importedCases.strict().parse(body)).toEqual({
      version: 2,
      caseCount: 3,
      added: 1,
      changed: 1,
      equal: 1,
      removed: 0,
      skipped: [{ row: 4, reason: "query is required" }],
      skippedCount: 1,
      cases: [
        { change: "added", case: third },
        { change: "changed", case: changed },
      ],
    });
    expect(await read()).toMatchObject({ description: "kept", version: 2, questions: [changed, ask("second"), third] });
  });

  test("that is repeated changes nothing more", async () => {
    await send("", rows);
    expect((await send("", rows)).body).toMatchObject({ version: 2, added: 0, changed: 0, equal: 3 });
  });

  test("may replace all cases", async () => {
    const { body } = await send("?mode=replace", rows);

    expect(body).toMatchObject({ version: 2, caseCount: 3, added: 1, changed: 1, equal: 1, removed: 0 });
    const { questions } = await read();
    expect(questions[0]).toEqual(ask("First", { expectedResults: "one" }));
    expect((await send("?mode=replace", "query\nthird\n")).body).toMatchObject({
      changed: 1,
      removed: 2,
      caseCount: 1,
    });
  });

  test("as a dry run tells the same and stores nothing", async () => {
    const before = await read();
    const { status, body } = await send("?dryRun=true&mode=replace", "query\nthird\n");

    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 1, caseCount: 1, added: 1, removed: 2 });
    expect(body.cases.map(({ change }: { change: string }) => change)).toEqual(["added", "removed", "removed"]);
    expect(await read()).toEqual(before);
  });

  test("for a version other than the one that was read is 409", async () => {
    await send("", rows);
    const { status, body } = await send("?version=1", rows);
    expect([status, staleDataset.strict().parse(body).version]).toEqual([409, 2]);
    expect((await send("?version=2", rows)).status).toBe(200);
  });

  test.each([
    ["?mode=other", rows, "mode must be add or replace"],
    ["?dryRun=yes", rows, "dryRun must be true or false"],
    ["?dryRun=", rows, "dryRun must be true or false"],
    ["?version=x", rows, "version must be the number of a version"],
    ["", "a,b\n", "CSV is missing required column(s): query"],
    ["?mode=replace", "query\n \n", "No row is a case, so there is nothing to replace the cases with"],
  ])("%j with %j is refused: %s", async (query, body, error) => {
    expect(await send(query, body)).toMatchObject({ status: 400, body: { error } });
  });

  test("of another project, or of a missing one, is 404", async () => {
    expect((await send("", rows, createProjectClient(running.address))).status).toBe(404);
    id = "nope";
    expect((await send("", rows)).status).toBe(404);
  });
});
