import {
  addedCases,
  casePreview,
  compareTexts,
  duplicateCase,
  limits,
  suggestExpected,
  suggestedExpected,
} from "@touchstone/contracts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { createProjectClient, type HttpAnswer } from "./project-client.ts";
import { useFakeIngest, useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

type Compared = z.output<typeof compareTexts.body>;
type Suggested = z.output<typeof suggestExpected.body>;

let compare: (asked: Compared) => number[] | null;
let suggest: (asked: Suggested) => z.input<typeof suggestExpected.reply>;

const system = useTestSystem();
const ingest = useFakeIngest(system);
const judge = useJudge(system);

beforeAll(async () => {
  await judge.bus.answer(compareTexts, async (asked) => ({ cosines: compare(asked) }), { concurrency: 4 });
  await judge.bus.answer(suggestExpected, async (asked) => suggest(asked), { concurrency: 4 });
});

const running = useService(system, { ingest });
const client = useProject(running);

beforeEach(() => {
  compare = () => null;
});

const made = (query: string, traceId: string, more: object = {}) => ({
  main_question: { query },
  source: { traceId },
  ...more,
});

const add = (id: string, body: unknown, by = client): Promise<HttpAnswer> =>
  by.send("POST", `/datasets/${id}/cases`, body);

const newDataset = (...cases: object[]): Promise<string> => client.createDataset({ name: "n", questions: cases });

async function questionsOf(id: string) {
  return (await client.send("GET", `/datasets/${id}`)).body.questions;
}

const queriesOf = async (id: string): Promise<string[]> =>
  (await questionsOf(id)).map((question: { main_question: { query: string } }) => question.main_question.query);

describe("adding a case", () => {
  test("keeps it as it was sent, with the time at which it was added, in a new version", async () => {
    const id = await newDataset({ main_question: { query: "first" } });

    const { status, body } = await add(
      id,
      '{"case":{"main_question":{"query":"second","n":1e400},"source":{"traceId":"t","extra":[1]},"tags":["x"]}}',
    );

    expect(status).toBe(201);
    expect(addedCases.strict().parse(body)).toEqual({ ok: true, caseCount: 2 });
    const { text } = await client.send("GET", `/datasets/${id}`);
    expect(text).toContain('"main_question":{"query":"second","n":1e400}');
    expect((await questionsOf(id))[1]).toMatchObject({
      tags: ["x"],
      source: { traceId: "t", extra: [1], addedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    const versions = (await client.sendTo("GET", `/api/v1/evaluate/datasets/${id}/versions`)).body;
    expect(versions[0]).toMatchObject({ versionNumber: 2, changeSummary: "1 case added" });
  });

  test("a time that is said stays", async () => {
    const id = await newDataset();
    await add(id, { case: made("q", "t", { source: { traceId: "t", addedAt: "2026-01-01T00:00:00.000Z" } }) });
    expect((await questionsOf(id))[0].source.addedAt).toBe("2026-01-01T00:00:00.000Z");
  });

  const required = "case with main_question.query and source is required";
  test.each([
    [{}, required],
    [{ case: null }, required],
    [{ case: { main_question: { query: "q" } } }, required],
    [{ case: { main_question: { query: "q" }, source: {} } }, required],
    [{ case: { main_question: { query: "q" }, source: { traceId: " " } } }, required],
    [{ case: { main_question: { query: " " }, source: { traceId: "t" } } }, required],
    [{ case: made("q", "t", { tags: "x" }) }, "case.tags must be an array of strings"],
    [{ case: made("q", "t"), dedupe: "no" }, "dedupe must be a boolean"],
    [{ cases: {} }, "cases must be an array"],
    [{ cases: [made("q", "t"), { main_question: { query: "r" } }] }, required],
    [{ cases: [made("q", "t", { split: 1 })] }, "cases[0].split must be a string"],
    [
      { case: made("q", "t", { x: JSON.parse(`${"[".repeat(126)}${"]".repeat(126)}`) }) },
      "The case nests deeper than 126 levels",
    ],
  ])("refuses %j: %s", async (body, error) => {
    const id = await newDataset();
    expect(await add(id, body)).toMatchObject({ status: 400, body: { error } });
    expect(await questionsOf(id)).toEqual([]);
  });

  test("a dataset that is unknown or foreign is 404", async () => {
    const foreign = await createProjectClient(running.address).createDataset({ name: "foreign" });
    for (const id of [foreign, "6c1f4a4e-3f5b-4e0e-9b4e-1d2c3b4a5f60", "x"]) {
      expect(await add(id, { case: made("q", "t") })).toMatchObject({
        status: 404,
        body: { error: "Dataset not found" },
      });
    }
  });

  test("a dataset that would not fit into a request any more is refused", async () => {
    const id = await newDataset({ main_question: { query: "q".repeat(6 * 1024 * 1024) } });
    const refused = await add(id, { case: made("r".repeat(5 * 1024 * 1024), "t") });
    expect([refused.status, refused.body]).toEqual([400, { error: "The dataset would be larger than 10 MiB" }]);
  });
});

describe("a case that the dataset has already", () => {
  async function refusalOf(id: string, body: object) {
    const { status, body: refusal } = await add(id, body);
    expect(status).toBe(409);
    expect(duplicateCase.strict().parse(refusal).error).toBe("Duplicate case");
    return refusal.duplicate;
  }

  test("is detected by its source first, then by its query, in any spelling, then by its meaning", async () => {
    const id = await newDataset(
      made("Where is my order?", "t-1"),
      made("When is it here?", "t-2"),
      made("Who brings it?", "t-3"),
    );
    compare = ({ others }) => others.map((other) => (other.startsWith("Who") ? 0.9 : 0.75));

    expect(await refusalOf(id, { case: made("when IS\n it  here?", "t-1") })).toEqual({
      reason: "same-source",
      existingQuery: "Where is my order?",
    });
    expect(await refusalOf(id, { case: made(" when IS\n it  here? ", "t-9") })).toEqual({
      reason: "same-query",
      existingQuery: "When is it here?",
    });
    expect(await refusalOf(id, { case: made("Which courier?", "t-9") })).toEqual({
      reason: "similar-query",
      existingQuery: "Who brings it?",
      similarity: 0.9,
    });
    expect(await questionsOf(id)).toHaveLength(3);
  });

  test("is similar from a cosine of 0.75 on", async () => {
    const id = await newDataset(made("a", "t-1"));
    compare = () => [0.7499];
    expect((await add(id, { case: made("b", "t-2") })).status).toBe(201);
    compare = ({ others }) => others.map(() => 0.75);
    expect((await refusalOf(id, { case: made("c", "t-3") })).reason).toBe("similar-query");
  });

  test("is the same trace, session or signal only of one kind; turns of one session are several cases", async () => {
    const id = await newDataset(made("a", "id"));
    const other = (query: string, source: object) => add(id, { case: { main_question: { query }, source } });

    expect((await other("b", { sessionId: "id" })).status).toBe(201);
    expect((await other("c", { signalId: "id" })).status).toBe(201);
    expect((await other("d", { sessionId: "id" })).body.duplicate.reason).toBe("same-source");
    expect((await other("e", { traceId: "t-1", sessionId: "id" })).status).toBe(201);
    expect((await other("f", { traceId: "t-2", sessionId: "id" })).status).toBe(201);
  });

  test("is added all the same with dedupe false, and no service is asked", async () => {
    const id = await newDataset(made("a", "t"));
    compare = () => {
      throw new Error("asked");
    };
    expect((await add(id, { case: made("a", "t"), dedupe: false })).body).toEqual({ ok: true, caseCount: 2 });
  });

  test("is compared by meaning with the newest hundred, under the dataset's embedding model", async () => {
    const questions = Array.from({ length: 120 }, (_, index) => made(`question ${index}`, `t-${index}`));
    const vectorSimilarity = { enabled: true, model: "local-hash" };
    const id = await client.createDataset({ name: "n", vectorSimilarity, questions });
    const asked: Compared[] = [];
    compare = (body) => {
      asked.push(body);
      return body.others.map(() => 0);
    };

    expect((await add(id, { case: made("another", "t") })).status).toBe(201);

    expect(asked).toMatchObject([{ text: "another", model: "local-hash", projectId: client.projectId }]);
    expect(asked[0]?.others).toEqual(questions.slice(-limits.comparedCasesMax).map((each) => each.main_question.query));
  });

  test("is not detected by meaning if embedding is not possible, or the judge fails; no error is reported", async () => {
    const id = await newDataset(made("a", "t-1"));
    compare = () => null;
    expect((await add(id, { case: made("b", "t-2") })).status).toBe(201);
    compare = () => {
      throw new Error("broken");
    };
    expect((await add(id, { case: made("c", "t-3") })).status).toBe(201);
    expect((await add(id, { case: made("a", "t-4") })).status).toBe(409);
  });
});

describe("adding several cases", () => {
  test("adds new cases, each compared with the earlier ones too, as one version", async () => {
    const id = await newDataset(made("one", "t-1"));
    compare = ({ text, others }) => others.map((other) => (text === "deux" && other === "two" ? 0.8 : 0));

    const { status, body } = await add(id, {
      cases: [made("ONE", "t-9"), made("two", "t-2"), made("three", "t-2"), made("deux", "t-4"), made("five", "t-5")],
    });

    expect(status).toBe(201);
    expect(addedCases.strict().parse(body)).toEqual({
      ok: true,
      added: 2,
      duplicates: [
        { index: 0, reason: "same-query", existingQuery: "one" },
        { index: 2, reason: "same-source", existingQuery: "two" },
        { index: 3, reason: "similar-query", existingQuery: "two", similarity: 0.8 },
      ],
      caseCount: 3,
    });
    expect(await queriesOf(id)).toEqual(["one", "two", "five"]);
    const versions = (await client.sendTo("GET", `/api/v1/evaluate/datasets/${id}/versions`)).body;
    expect(versions).toMatchObject([{ changeSummary: "2 cases added" }, { changeSummary: "Created" }]);
  });

  test("asks for meanings no more once there is no way to embed", async () => {
    const id = await newDataset(made("a", "t"));
    let asked = 0;
    compare = () => {
      asked += 1;
      return null;
    };
    await add(id, { cases: [made("b", "t-1"), made("c", "t-2"), made("d", "t-3")] });
    expect(asked).toBe(1);
  });

  test("nothing new is no new version; more than five hundred are refused", async () => {
    const id = await newDataset(made("a", "t"));
    expect((await add(id, { cases: [made("a", "t")] })).body).toMatchObject({ added: 0, caseCount: 1 });
    expect((await add(id, { cases: [] })).body).toMatchObject({ added: 0, caseCount: 1 });
    expect((await client.sendTo("GET", `/api/v1/evaluate/datasets/${id}/versions`)).body).toHaveLength(1);
    const many = Array.from({ length: 501 }, (_, index) => made(`q${index}`, `s${index}`));
    expect((await add(id, { cases: many })).body).toEqual({ error: "cases must have at most 500 entries" });
    expect((await add(id, { cases: many.slice(1) })).body).toMatchObject({ added: 500, caseCount: 501 });
  });
});

describe("two callers at once", () => {
  test("lose nothing, and never add the same", async () => {
    const id = await newDataset();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => add(id, { case: made(`question ${index % 20}`, `t-${index}`) })),
    );

    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(20).fill(409)]);
    expect((await queriesOf(id)).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `question ${index}`).toSorted(),
    );
    const versions = (await client.sendTo("GET", `/api/v1/evaluate/datasets/${id}/versions`)).body;
    expect(versions.map(({ versionNumber }: { versionNumber: number }) => versionNumber)).toEqual(
      Array.from({ length: 21 }, (_, index) => 21 - index),
    );
  });
});

describe("the preview of a case", () => {
  const preview = (body: unknown): Promise<HttpAnswer> => client.send("POST", "/datasets/case-preview", body);
  const turn = (query: string, traceId: string) => ({ query, actualOutput: `to ${query}`, error: null, traceId });

  test("has the question of the first turn, and the others as follow-ups", async () => {
    ingest.asked.length = 0;
    ingest.turns = [turn("Where?", "t-1"), turn("And when?", "t-2")];

    const { status, body } = await preview({ sessionId: "s" });

    expect(status).toBe(200);
    expect(casePreview.strict().parse(body)).toEqual({
      case: {
        main_question: { query: "Where?" },
        follow_up_questions: [{ query: "And when?" }],
        source: { sessionId: "s" },
      },
      turns: ingest.turns,
    });
    expect(ingest.asked).toEqual([{ projectId: client.projectId, sessionId: "s" }]);
    expect((await add(await newDataset(), { case: body.case })).status).toBe(201);
  });

  test("of a trace names the trace", async () => {
    ingest.asked.length = 0;
    ingest.turns = [turn("Where?", "t-1")];
    expect((await preview({ traceId: "t-1", sessionId: "s" })).body.case.source).toEqual({ traceId: "t-1" });
    expect(ingest.asked).toEqual([{ projectId: client.projectId, traceId: "t-1" }]);
  });

  test("is 404 without a turn, and 400 without an id", async () => {
    ingest.turns = [];
    expect(await preview({ traceId: "t" })).toMatchObject({
      status: 404,
      body: { error: "No usable turns found for that trace/session" },
    });
    for (const body of [{}, { traceId: "" }, { traceId: 7 }, []]) {
      expect(await preview(body)).toMatchObject({ status: 400, body: { error: "traceId or sessionId is required" } });
    }
  });

  test("without ingest is 503", async () => {
    const alone = createProjectClient((await system.startService()).address);
    expect((await alone.send("POST", "/datasets/case-preview", { traceId: "t" })).status).toBe(503);
  });
});

describe("suggesting an expected result", () => {
  const ask = (body: unknown): Promise<HttpAnswer> => client.send("POST", "/datasets/suggest-expected", body);

  test("returns the judge's answer", async () => {
    const asked: Suggested[] = [];
    suggest = (body) => {
      asked.push(body);
      return { suggestion: { expected: "In Paris.", rationale: null }, failure: null };
    };

    const { status, body } = await ask({ query: "Where?", actualOutput: "There.", error: " ", judgeModel: "m" });

    expect(status).toBe(200);
    expect(suggestedExpected.strict().parse(body)).toEqual({ expected: "In Paris.", rationale: null });
    expect(asked).toEqual([
      {
        projectId: client.projectId,
        organizationId: null,
        model: "m",
        query: "Where?",
        actualOutput: "There.",
        error: null,
      },
    ]);
  });

  test("is 422 with the reason when the judge fails", async () => {
    suggest = () => ({ suggestion: null, failure: { reason: "no_key", message: "No judge key is set." } });
    expect(await ask({ query: "q" })).toMatchObject({ status: 422, body: { error: "No judge key is set." } });
    suggest = () => {
      throw new Error("broken");
    };
    expect(await ask({ query: "q" })).toMatchObject({ status: 422, body: { error: "The judge failed." } });
  });

  test.each([
    [{}, "query is required"],
    [{ query: " " }, "query is required"],
    [{ query: "q", actualOutput: 1 }, "actualOutput must be a string"],
    [{ query: "q", judgeModel: {} }, "judgeModel must be a string"],
  ])("refuses %j: %s", async (body, error) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { error } });
  });
});
