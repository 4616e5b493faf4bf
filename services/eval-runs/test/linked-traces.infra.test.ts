import type { Trajectory } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createGate } from "./conditions.ts";
import { noTrajectory } from "./fake-ingest.ts";
import { answerAll, type JudgeBody } from "./fake-judge.ts";
import { useFakeIngest, useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);
const ingest = useFakeIngest(system);
const running = useService(system, { timings: { traceMs: 1_000 }, ingest });
const client = useProject(running);

beforeAll(async () => {
  datasetId = await client.createDataset({
    name: "Orders",
    questions: [
      {
        main_question: {
          query: "When?",
          retrievalContext: "pinned",
          expectedTrajectory: { tools: ["search"] },
          expectedRetrievalContext: "expected",
        },
      },
    ],
  });
});

beforeEach(() => {
  judge.asked.length = 0;
  ingest.askedTraces.length = 0;
  ingest.delayTraces(async () => undefined);
  judge.behave((body) => answerAll(body, { Orders: 8, Tools: 8 }));
});

const trajectory: Trajectory = {
  ...noTrajectory,
  toolCalls: [{ name: "search", input: { q: "order" }, output: "found", success: true }],
  toolDefinitions: [
    { name: "search", definition: "as the trace tells it" },
    { name: "send", definition: "sends" },
  ],
};
const spans = { source: "spans" as const, texts: ["of a span", "of another"] };
const metadata = { source: "metadata" as const, texts: ["of metadata"] };

/** The judge's requests for results that are submitted together. */
async function submit(results: readonly object[], more: object = {}): Promise<JudgeBody[]> {
  const runId = await client.createRun(datasetId, more);
  const { status, body } = await client.submit(
    runId,
    results.map((result) => buildResult(result)),
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({ accepted: results.length, failedValidation: 0 });
  return judge.asked;
}

const submitOne = async (result: object, more?: object): Promise<JudgeBody> =>
  (await submit([result], more))[0] as JudgeBody;

describe("a result that names a trace", () => {
  test("is judged with the trace's steps, and its rows compare them", {
    tags: ["spec:run.results.traceId"],
  }, async () => {
    const traceId = ingest.record(client.projectId, { trajectory, retrieval: spans });

    const asked = await submitOne({ traceId });

    expect(asked.case.trajectory).toMatchObject({ steps: [], toolCalls: trajectory.toolCalls });
    expect(asked.deterministic).toMatchObject({
      trajectoryMatch: { tools: ["search"], mode: "strict", linked: true },
      contextMatch: { expected: "expected", actual: "of a span\n\nof another" },
    });
  });

  test("is accepted if it does not exist or belongs to another project, and its rows report both alike", async () => {
    const foreign = ingest.record(uuidv7(Date.now()), { trajectory, retrieval: spans });

    for (const traceId of ["nonsense", "a\0b", uuidv7(Date.now()), foreign]) {
      judge.asked.length = 0;
      const asked = await submitOne({ traceId });
      expect(asked.case).toMatchObject({ trajectory: null, context: "pinned" });
      expect(asked.deterministic).toMatchObject({
        trajectoryMatch: { linked: false },
        contextMatch: { actual: null },
      });
    }
    expect(ingest.askedTraces).toHaveLength(2);
  });

  test.each([
    ["refuses", async () => Promise.reject(new Error("away"))],
    ["is slower than its deadline", () => createGate().opened],
  ])("is judged without it when ingest %s", async (_how, delay) => {
    const traceId = ingest.record(client.projectId, { trajectory });
    ingest.delayTraces(delay);

    const asked = await submitOne({ traceId });

    expect(asked.case.trajectory).toBeNull();
    expect(asked.deterministic.trajectoryMatch).toMatchObject({ linked: false });
  });

  test("shares the trace with the others of its batch", async () => {
    const traceId = ingest.record(client.projectId, { trajectory });
    const other = ingest.record(client.projectId, { trajectory });

    await submit([{ traceId }, { traceId }, { traceId: other }, {}]);

    expect(judge.asked.filter((body) => body.case.trajectory !== null)).toHaveLength(3);
    // Its own input and output are of no use: the result has both.
    expect(ingest.askedTraces.map((query) => [query.traceId, query.withContent]).sort()).toEqual(
      [
        [traceId, false],
        [other, false],
      ].sort(),
    );
  });
});

describe("the context that judges read", () => {
  test.each([
    ["the result's own", { retrievalContext: ["own"] }, spans, "[chunk 1] own"],
    ["what the trace's spans retrieved", {}, spans, "[retrieval 1] of a span\n\n[retrieval 2] of another"],
    ["what the trace's metadata tells", {}, metadata, "[chunk 1] of metadata"],
    ["the case's pinned one", {}, null, "pinned"],
  ])(
    "is %s where there is none before it",
    { tags: ["spec:run.results.retrievalContext"] },
    async (_whose, own, retrieval, context) => {
      const traceId = ingest.record(client.projectId, { retrieval });

      expect((await submitOne({ traceId, ...own })).case.context).toBe(context);
    },
  );
});

describe("definitions of tools", () => {
  let scorerId: string;

  beforeAll(async () => {
    const judgeScorer = { name: "Tools", judge: { toolContext: "detailed" } };
    const { body } = await client.sendTo("POST", "/api/v1/agent-monitoring/judge-scorers", judgeScorer);
    scorerId = body.judgeScorer._id;
    const schema = { name: "search", definition: "as registered" };
    expect((await client.sendTo("POST", "/api/v1/evaluate/tool-schemas", schema)).status).toBe(201);
  });

  test("reach a judge with detailed tool context; registered definitions take precedence", async () => {
    const traceId = ingest.record(client.projectId, { trajectory });

    const asked = await submitOne({ traceId }, { additionalScorerIds: [scorerId] });

    expect(asked.case.trajectory?.toolDefinitions).toEqual([
      { name: "search", definition: "as registered" },
      { name: "send", definition: "sends" },
    ]);
  });

  test("are cut to what a judge shows, so that those of any length leave results judged", async () => {
    const names = ["long", "longer"];
    for (const name of names) {
      const schema = { name, definition: `${"x".repeat(4_001)}${"\u{1f600}".repeat(1_000_000)}` };
      expect((await client.sendTo("POST", "/api/v1/evaluate/tool-schemas", schema)).status).toBe(201);
    }
    const toolCalls = names.map((name) => ({ name }));
    const traceId = ingest.record(client.projectId, { trajectory: { ...noTrajectory, toolCalls } });

    const asked = await submitOne({ traceId }, { additionalScorerIds: [scorerId] });

    const definition = "x".repeat(4_001);
    const definitions = asked.case.trajectory?.toolDefinitions ?? [];
    expect(definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(
      names.map((name) => ({ name, definition })),
    );
  });

  test("are left out where no judge reads them", async () => {
    const traceId = ingest.record(client.projectId, { trajectory });

    expect((await submitOne({ traceId })).case.trajectory?.toolDefinitions).toEqual([]);
  });

  test("are looked up for tools of any name", async () => {
    const toolCalls = [{ name: "a\0b" }, { name: "\ud800" }, { name: "search" }];
    const traceId = ingest.record(client.projectId, { trajectory: { ...noTrajectory, toolCalls } });

    const asked = await submitOne({ traceId }, { additionalScorerIds: [scorerId] });

    expect(asked.case.trajectory?.toolDefinitions).toEqual([{ name: "search", definition: "as registered" }]);
  });
});

test("rescoring judges a skipped result with its trace", async () => {
  const traceId = ingest.record(client.projectId, { trajectory });
  const runId = await client.createRun(datasetId);
  judge.behave((body) => answerAll(body, { Orders: null }));
  await client.submit(runId, [buildResult({ traceId })]);
  judge.behave((body) => answerAll(body, { Orders: 8 }));

  expect((await client.send("POST", `/runs/${runId}/rescore`)).body).toMatchObject({ rescored: 1 });

  expect(judge.asked.map((body) => body.case.trajectory?.toolCalls)).toEqual([
    trajectory.toolCalls,
    trajectory.toolCalls,
  ]);
});
