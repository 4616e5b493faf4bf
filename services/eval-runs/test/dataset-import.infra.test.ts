import { importedDataset, importPreview, limits } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { createProjectClient, type HttpAnswer } from "./project-client.ts";
import { useProject, useService, useTestSystem } from "./test-system.ts";

const system = useTestSystem();
const running = useService(system);
const client = useProject(running);

const csv = "text/csv";
const json = "application/json";
const lines = "application/x-ndjson";

const send = (type: string, body: string, query = "?name=Imported", by = client): Promise<HttpAnswer> =>
  by.send("POST", `/datasets/import${query}`, body, { "content-type": type });

describe("importing a dataset", () => {
  test("reads CSV with its columns, quotes and lists, and leaves out bad rows with a reason", async () => {
    const file = [
      "\ufeffquery,expected_results,Judge_Guideline,retrieval_context,expected_capabilities,expected_knowledge_base,expected_delegations,owner",
      `"Where is ""it"",\nplease?",'-In Paris.,'Be kind.,ctx,search; book ;,docs,billing;support,me`,
      "  ,no question,,,,,,",
      "Short?",
      "a,b,c,d,e,f,g,h,i",
    ].join("\r\n");

    const { status, body } = await send(csv, file, "?name=Orders&description=From%20a%20file.");

    expect(status).toBe(201);
    importedDataset.strict().parse(body);
    expect(body).toMatchObject({
      dataset: {
        name: "Orders",
        description: "From a file.",
        questions: [
          {
            main_question: {
              query: 'Where is "it",\nplease?',
              expectedResults: "-In Paris.",
              judgeGuideline: "'Be kind.",
              retrievalContext: "ctx",
              expectedCapabilities: ["search", "book"],
              expectedKnowledgeBase: ["docs"],
              expectedDelegations: ["billing", "support"],
            },
          },
          { main_question: { query: "Short?" } },
        ],
      },
      imported: 2,
      skipped: [
        { row: 2, reason: "query is required" },
        { row: 4, reason: "the row has 9 fields, the header 8" },
      ],
      skippedCount: 2,
    });
    expect(body.dataset.questions[1]).toEqual({ main_question: { query: "Short?" } });
    expect((await client.send("GET", `/datasets/${body.dataset._id}`)).body).toEqual(body.dataset);
  });

  test("reads a JSON array: questions as they were sent, rows by their columns", async () => {
    const question = '{"tags":["x"], "main_question":{"query":"q","n":1e400}}';
    const rows = `[${question},{"query":"r","expected_results":"e","expected_capabilities":["a;b"],"expected_delegations":"c;d"},
      7,{"query":""},{"main_question":{"query":"q","expectedResults":1}},{"query":"q","judge_guideline":5}]`;

    const { status, text, body } = await send(json, rows);

    expect(status).toBe(201);
    expect(text).toContain(question);
    expect(body.dataset.questions[1]).toEqual({
      main_question: {
        query: "r",
        expectedResults: "e",
        expectedCapabilities: ["a;b"],
        expectedDelegations: ["c", "d"],
      },
    });
    expect(body.skipped).toEqual([
      { row: 3, reason: "the row is not an object" },
      { row: 4, reason: "query is required" },
      { row: 5, reason: "row.main_question.expectedResults must be a string" },
      { row: 6, reason: "row.main_question.judgeGuideline must be a string" },
    ]);
  });

  test("reads JSON lines, each by itself", async () => {
    const { status, body } = await send(lines, '{"query":"a"}\r\n\n{"query":\n{"query":"b"}');

    expect(status).toBe(201);
    expect(body).toMatchObject({ imported: 2, skipped: [{ row: 2, reason: "the row is not JSON" }], skippedCount: 1 });
  });

  test("a dry run counts the same, shows the first twenty cases and stores nothing", async () => {
    const project = createProjectClient(running.address);
    const file = `query\n${Array.from({ length: 30 }, (_, index) => `question ${index}`).join("\n")}\n" "\n`;

    const { status, body } = await send(csv, file, "?name=Orders&dryRun=true", project);

    expect(status).toBe(200);
    expect(importPreview.strict().parse(body)).toMatchObject({
      imported: 30,
      skipped: [{ row: 31, reason: "query is required" }],
      skippedCount: 1,
    });
    expect(body.cases).toHaveLength(20);
    expect(body.cases[19]).toEqual({ main_question: { query: "question 19" } });
    expect((await project.send("GET", "/datasets")).body).toEqual({ datasets: [] });
  });

  test("tells the first hundred rows it left out, and counts all", async () => {
    const { body } = await send(lines, '{"query":"good"}\n'.concat("{}\n".repeat(250)), "?name=n&dryRun=true");

    expect(body).toMatchObject({ imported: 1, skippedCount: 250 });
    expect(body.skipped.map(({ row }: { row: number }) => row)).toEqual(Array.from({ length: 100 }, (_, at) => at + 2));
  });

  test("takes ten thousand rows and no more", async () => {
    const rows = (count: number) => `query\n${"q\n".repeat(count)}`;

    expect((await send(csv, rows(limits.importedCasesMax), "?name=n&dryRun=true")).body.imported).toBe(10_000);
    const refused = await send(csv, rows(limits.importedCasesMax + 1), "?name=n&dryRun=true");
    expect([refused.status, refused.body]).toEqual([400, { error: "An import has at most 10000 rows" }]);
  });

  test.each([
    [csv, "", "?name=n", "CSV is missing required column(s): query"],
    [csv, "question,answer\na,b\n", "?name=n", "CSV is missing required column(s): query"],
    [csv, 'query\n"a', "?name=n", "The quote that opens on line 2 is never closed"],
    [csv, "query\na\n", "", "name is required"],
    [csv, "query\na\n", "?name=%20", "name is required"],
    [csv, "query\na\n", "?name=n&dryRun=yes", "dryRun must be true or false"],
    [csv, "query\na\n", "?name=n&dryRun=", "dryRun must be true or false"],
    [json, "{}", "?name=n", "The body must be an array of rows"],
  ])("%s %j to %j is refused: %s %s", async (type, body, query, error) => {
    expect(await send(type, body, query)).toMatchObject({ status: 400, body: { error } });
  });

  test("rows that are too large as JSON are refused, also by a dry run", async () => {
    const project = createProjectClient(running.address);
    const file = `query\n${"\\".repeat(6 * 1024 * 1024)}\n`;
    for (const dryRun of [true, false]) {
      const { status, body } = await send(csv, file, `?name=n&dryRun=${dryRun}`, project);
      expect([status, body]).toEqual([400, { error: "The dataset would be larger than 10 MiB" }]);
    }
  });

  test("a body that is not JSON is 400, one of another type 415, in the global envelope", async () => {
    expect(await send(json, "[")).toMatchObject({ status: 400, body: { statusCode: 400 } });
    for (const type of ["text/plain", "application/xml", "text/csv; charset=latin1"]) {
      expect(await send(type, "query\na")).toMatchObject({ status: 415, body: { statusCode: 415 } });
    }
    expect((await send("Text/CSV; charset=UTF-8; header=present", "query\na")).status).toBe(201);
  });
});
