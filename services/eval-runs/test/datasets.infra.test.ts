import { dataset } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { createProjectClient } from "./project-client.ts";
import { useProject, useService, useTestSystem } from "./test-system.ts";

const system = useTestSystem();
const running = useService(system);
const client = useProject(running);

const create = (body: unknown, by = client) => by.send("POST", "/datasets", body);

describe("creating a dataset", () => {
  test("answers 201 with the dataset itself; unset fields are left out", {
    tags: [
      "spec:datasets.create",
      "spec:dataset.id",
      "spec:dataset.description",
      "spec:dataset.numberOfRequests",
      "spec:dataset.acceptanceCriteria",
      "spec:dataset.rejectionCriteria",
      "spec:dataset.evaluationCriteria",
      "spec:dataset.status",
      "spec:dataset.createdAt",
    ],
  }, async () => {
    const { status, body } = await create({ name: "Orders" });

    expect(status).toBe(201);
    expect(body).toEqual({
      _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Orders",
      numberOfRequests: 1,
      questions: [],
      status: "published",
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("keeps every field, and returns the same when read", {
    tags: ["spec:dataset.name", "spec:dataset.similarity", "spec:dataset.questions"],
  }, async () => {
    const created = await create({
      name: " Orders ",
      description: "What customers ask.",
      numberOfRequests: 3,
      acceptanceCriteria: "a",
      rejectionCriteria: "r",
      evaluationCriteria: "e",
      vectorSimilarity: { enabled: true, model: "local-hash" },
      jaccardSimilarity: { enabled: true },
      bleuScore: { enabled: false },
      rougeScore: { enabled: "true" },
      sovereigntyIndex: { enabled: true, models: ["m"] },
      thresholds: { enabled: true, gates: [] },
      ci: { enabled: false },
      status: "draft",
      workspaceId: client.projectId,
      questions: [{ main_question: { query: "Where?", expectedResults: null }, tags: ["x"] }],
    });

    expect(created.body).toMatchObject({
      name: " Orders ",
      numberOfRequests: 3,
      vectorSimilarity: { enabled: true, model: "local-hash" },
      jaccardSimilarity: { enabled: true },
      sovereigntyIndex: { enabled: true, models: ["m"] },
      thresholds: { enabled: true, gates: [] },
      ci: { enabled: false },
      status: "published",
      questions: [{ main_question: { query: "Where?", expectedResults: null }, tags: ["x"] }],
    });
    for (const left of ["bleuScore", "rougeScore", "codeScorers", "workspaceId"]) {
      expect(created.body).not.toHaveProperty(left);
    }
    const read = await client.send("GET", `/datasets/${created.body._id}`);
    expect(read.text).toBe(created.text);
  });

  test("drops code scorers without code and gives the others an id", {
    tags: ["spec:dataset.codeScorers"],
  }, async () => {
    const { body } = await create({
      name: "Scored",
      codeScorers: [
        { name: "empty", code: "  " },
        { id: "mine", name: "named", code: "return 1", extra: { big: 1 } },
        { code: "return 2", id: "" },
      ],
    });

    expect(body.codeScorers).toEqual([
      { id: "mine", name: "named", code: "return 1", extra: { big: 1 } },
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), code: "return 2" },
    ]);
  });

  test("a number of requests that is no number is ignored", async () => {
    expect((await create({ name: "n", numberOfRequests: "7" })).body.numberOfRequests).toBe(1);
  });

  test.each([
    [{}, "name is required"],
    [{ name: "  " }, "name is required"],
    [{ name: 5 }, "name is required"],
    [[], "name is required"],
    [{ name: "n", description: 1 }, "description must be a string"],
    [{ name: "n", numberOfRequests: 0 }, "numberOfRequests must be an integer between 1 and 20"],
    [{ name: "n", numberOfRequests: 21 }, "numberOfRequests must be an integer between 1 and 20"],
    [{ name: "n", numberOfRequests: 1.5 }, "numberOfRequests must be an integer between 1 and 20"],
    [{ name: "n", questions: {} }, "questions must be an array"],
    [{ name: "n", questions: [{}] }, "Each question must have main_question.query"],
    [{ name: "n", questions: [null] }, "Each question must have main_question.query"],
    [{ name: "n", questions: [{ main_question: { query: " " } }] }, "Each question must have main_question.query"],
    [{ name: "n", questions: [{ question: "q" }] }, "Each question must have main_question.query"],
    [
      { name: "n", questions: [{ main_question: { query: "q", expectedResults: 1 } }] },
      "questions[0].main_question.expectedResults must be a string",
    ],
    [
      { name: "n", questions: [{ main_question: { query: "q", retrievalContext: [1] } }] },
      "questions[0].main_question.retrievalContext must be a string or an array of strings",
    ],
    [{ name: "n", codeScorers: [1] }, "codeScorers must be an array of objects"],
    [{ name: "n", thresholds: [] }, "thresholds must be an object"],
    [{ name: "n", codeScorers: [{ code: "x", language: "python" }] }, 'language must be "javascript"'],
  ])("refuses %j: %s", async (body, message) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { error: message } });
  });

  const trajectory = "questions[0].main_question.expectedTrajectory";
  const smokeTest = "questions[0].main_question.smokeTest";
  test.each([
    [{ judgeGuideline: 1 }, "questions[0].main_question.judgeGuideline must be a string"],
    [
      { expectedRetrievalContext: {} },
      "questions[0].main_question.expectedRetrievalContext must be a string or an array of strings",
    ],
    [{ expectedCapabilities: "search" }, "questions[0].main_question.expectedCapabilities must be an array of strings"],
    [{ expectedKnowledgeBase: [1] }, "questions[0].main_question.expectedKnowledgeBase must be an array of strings"],
    [{ expectedDelegations: {} }, "questions[0].main_question.expectedDelegations must be an array of strings"],
    [{ expectedTrajectory: ["search"] }, `${trajectory} must be an object`],
    [{ expectedTrajectory: {} }, `${trajectory}.tools must be an array of strings`],
    [{ expectedTrajectory: { tools: null } }, `${trajectory}.tools must be an array of strings`],
    [{ expectedTrajectory: { tools: [1] } }, `${trajectory}.tools must be an array of strings`],
    [{ expectedTrajectory: { tools: [], mode: 1 } }, `${trajectory}.mode must be a string`],
    [{ smokeTest: true }, `${smokeTest} must be an object`],
    [{ smokeTest: { enabled: "yes" } }, `${smokeTest}.enabled must be a boolean`],
    [{ smokeTest: { enabled: true, count: 21 } }, `${smokeTest}.count must be an integer between 0 and 20`],
    [{ smokeTest: { enabled: true, count: 1.5 } }, `${smokeTest}.count must be an integer between 0 and 20`],
    [{ smokeTest: { guidance: 1 } }, `${smokeTest}.guidance must be a string`],
  ])("a case is checked: %j: %s", async (more, error) => {
    const body = { name: "n", questions: [{ main_question: { query: "q", ...more } }] };
    expect(await create(body)).toMatchObject({ status: 400, body: { error } });
  });

  test.each([
    [{ follow_up_questions: {} }, "questions[0].follow_up_questions must be an array"],
    [{ follow_up_questions: [{ query: "q" }, "r"] }, "questions[0].follow_up_questions[1] must have a query"],
    [
      { follow_up_questions: [{ query: "q", expectedResults: 1 }] },
      "questions[0].follow_up_questions[0].expectedResults must be a string",
    ],
    [{ tags: "x" }, "questions[0].tags must be an array of strings"],
    [{ split: 1 }, "questions[0].split must be a string"],
    [{ source: "t" }, "questions[0].source must be an object"],
    [{ source: { sessionId: 7 } }, "questions[0].source.sessionId must be a string"],
  ])("a question is checked beside its case: %j: %s", async (more, error) => {
    const body = { name: "n", questions: [{ main_question: { query: "q" }, ...more }] };
    expect(await create(body)).toMatchObject({ status: 400, body: { error } });
  });

  test.each([
    ["on", "ci must be an object"],
    [{ enabled: "no" }, "ci.enabled must be a boolean"],
    [{ passRateThreshold: 1.1 }, "ci.passRateThreshold must be a number between 0 and 1"],
    [{ exposeTestInputs: 1 }, "ci.exposeTestInputs must be a boolean"],
    [{ failFast: "" }, "ci.failFast must be a boolean"],
    [{ ratingThreshold: -1 }, "ci.ratingThreshold must be a number between 0 and 10"],
    [{ thresholds: [] }, "ci.thresholds must be an object"],
    [{ thresholds: { bleuScore: "0.5" } }, "ci.thresholds.bleuScore must be a number between 0 and 1"],
  ])("CI settings are checked: %j: %s", async (ci, error) => {
    expect(await create({ name: "n", ci })).toMatchObject({ status: 400, body: { error } });
  });

  test("a whole question and whole CI settings are returned as they were sent, with unknown members", {
    tags: ["spec:dataset.questions"],
  }, async () => {
    const question = {
      main_question: {
        query: "q",
        expectedResults: "e",
        judgeGuideline: "g",
        retrievalContext: ["c"],
        expectedRetrievalContext: "rc",
        expectedTrajectory: { tools: ["search"], mode: "some day", extra: 1 },
        smokeTest: { enabled: true, count: 2, guidance: "shorter", extra: null },
        expectedCapabilities: ["a"],
        expectedKnowledgeBase: [],
        expectedDelegations: null,
        extra: { deep: [1] },
      },
      follow_up_questions: [{ query: "f", extra: 1 }],
      source: { traceId: "t", sessionId: null, signalId: "s", addedAt: "2026-01-01", extra: 1 },
      split: "test",
      tags: ["x"],
      extra: [true],
    };
    const ci = {
      enabled: true,
      passRateThreshold: 0.9,
      exposeTestInputs: false,
      failFast: true,
      ratingThreshold: 7.5,
      thresholds: { vectorSimilarity: 0.5, jaccardSimilarity: 0, bleuScore: 1, rougeScore: null },
      extra: "kept",
    };
    const thresholds = { enabled: true, gates: [{ metric: "rating", min: 5 }] };

    const { status, body } = await create({ name: "n", questions: [question], ci, thresholds });

    expect(status).toBe(201);
    expect(dataset.parse(body)).toMatchObject({ questions: [question], ci, thresholds });
  });

  test("refuses JSON that nests deeper than 128 levels, and takes 128", async () => {
    const nested = (depth: number) =>
      `{"name":"deep","questions":[{"main_question":{"query":"q"},"deep":${"[".repeat(depth)}${"]".repeat(depth)}}]}`;

    expect(await create(nested(126))).toMatchObject({
      status: 400,
      body: { error: "The body nests deeper than 128 levels." },
    });
    const taken = await create(nested(125));
    expect(taken.status).toBe(201);
    expect(taken.text).toContain("[".repeat(125));
    expect((await create(nested(1_000_000))).status).toBe(400);
  });

  test.each([
    ["another project's id", "01a20000-3f5b-7e0e-9b4e-1d2c3b4a5f60", 403, "Unauthorized workspace access"],
    ["another system's id", "6650f0a2c4a1d3b2e1f0a9b8", 201, undefined],
    ["a number", 5, 403, "Could not resolve a valid workspace"],
    ["local", "local", 201, undefined],
    ["null", null, 201, undefined],
  ])("a workspaceId that is %s answers accordingly", async (_what, workspaceId, status, error) => {
    const answer = await create({ name: "n", workspaceId });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  test("checks the body before the workspace", async () => {
    expect((await create({ name: "", workspaceId: "01a20000-3f5b-7e0e-9b4e-1d2c3b4a5f60" })).status).toBe(400);
  });

  test("refuses a body that is not JSON, or not sent as JSON, in the global envelope", async () => {
    expect(await create('{"name":')).toMatchObject({ status: 400, body: { statusCode: 400 } });
  });
});

describe("free JSON", () => {
  test("comes back letter by letter: key order, numbers, NUL, lone surrogates, repeated and odd keys", async () => {
    const questions =
      '[ {"zeta":1e400,"10":1,"2":2,"__proto__":{"polluted":true},"constructor":{"prototype":1},' +
      '"big":12345678901234567890,"minus":-0,"exp":1E+2,"twice":1,"twice":2,"nul\\u0000key":"\\u0000",' +
      '"lone":"\\ud800","pair":"\\ud83d\\ude00","raw":"\u{1F600}\u2028",' +
      '"main_question":{"query":"a\\u0000b\\ud800"}} ]';
    const name = '"\\u0000 \\udfff name"';

    const created = await create(`{"questions":${questions},"name":${name}}`);

    expect(created.status).toBe(201);
    expect(created.text).toContain(`"name":${name}`);
    expect(created.text).toContain(`"questions":${questions}`);
    expect((await client.send("GET", `/datasets/${created.body._id}`)).text).toBe(created.text);
    expect((await client.send("GET", "/datasets")).text).toContain(created.text);
  });
});

describe("reading datasets", () => {
  test("lists the project's datasets with their questions, newest first", {
    tags: ["spec:datasets.list"],
  }, async () => {
    const project = createProjectClient(running.address);
    expect((await project.send("GET", "/datasets")).body).toEqual({ datasets: [] });
    for (const name of ["first", "second", "third"]) await create({ name }, project);

    const { datasets } = (await project.send("GET", "/datasets")).body;

    expect(datasets.map((dataset: { name: string }) => dataset.name)).toEqual(["third", "second", "first"]);
  });

  test("a dataset of another project is not found, exactly like one that does not exist", async () => {
    const id = await client.createDataset({ name: "mine" });
    const stranger = createProjectClient(running.address);

    const foreign = await stranger.send("GET", `/datasets/${id}`);
    const missing = await stranger.send("GET", "/datasets/00000000-0000-7000-8000-000000000000");
    const noId = await stranger.send("GET", "/datasets/not-an-id");

    for (const answer of [foreign, missing, noId]) {
      expect(answer).toMatchObject({ status: 404, body: { error: "Dataset not found" } });
    }
    expect((await stranger.send("GET", "/datasets")).body).toEqual({ datasets: [] });
  });
});
