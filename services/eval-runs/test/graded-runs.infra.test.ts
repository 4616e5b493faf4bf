import { run as runSchema, submitResultsReply } from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { answerAll, type JudgeBody, skippedAs } from "./fake-judge.ts";
import { createProjectClient } from "./project-client.ts";
import { startTestSystem, useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

let datasetId: string;
let ids: Record<"clarity" | "facts" | "tone" | "group", string>;

const groups = "/api/v1/agent-monitoring/scorer-groups";

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);
const client = useProject(running);

beforeAll(async () => {
  datasetId = await client.createDataset({
    ...buildDataset(),
    name: "Orders",
    codeScorers: [{ name: "Length", code: "return 1" }],
  });
  const createSettings = async (body: object) => (await client.send("POST", "/evaluation-settings", body)).body._id;
  ids = {
    clarity: await createSettings({ name: "Clarity", acceptanceCriteria: "Clear.", judgeModel: "gpt-4o-mini" }),
    facts: await createSettings({ name: "Facts", judgePrompt: "Rate {output}", rougeScore: { enabled: true } }),
    tone: await createSettings({ name: "Tone", codeScorers: [{ name: "Polite", code: "return 1" }] }),
    group: "",
  };
  ids.group = await createGroup();
});

beforeEach(() => {
  judge.asked.length = 0;
  judge.behave((body) => answerAll(body, { Orders: 8, Clarity: 6, Facts: 3, Tone: 9 }));
});

async function createGroup(): Promise<string> {
  const members = [
    { refId: ids.clarity, weight: 2 },
    { refId: ids.facts, gate: true },
  ];
  const { body } = await client.sendTo("POST", groups, { name: "Quality", members });
  return body.scorerGroup._id;
}

const create = (body: object) => client.send("POST", "/runs", { datasetId, ...body });
const submitOne = async (runId: string, more: object = {}) => {
  const { status, body } = await client.submit(runId, [buildResult(more)]);
  expect(status).toBe(200);
  return submitResultsReply.parse(body).scoredResults[0];
};
const readRun = async (runId: string) => {
  const run = await client.readRun(runId);
  expect(runSchema.safeParse(run).error).toBeUndefined();
  return run;
};
const onlyRequest = (): JudgeBody => {
  expect(judge.asked).toHaveLength(1);
  return judge.asked[0] as JudgeBody;
};

describe("a run with grading settings", () => {
  test("is graded by their rubric, metrics and code scorers instead of the dataset's", {
    tags: ["spec:run.create", "spec:run.evaluationSettingsId"],
  }, async () => {
    const { status, body } = await create({ evaluationSettingsId: ids.facts });
    expect(status).toBe(201);
    expect(body).toMatchObject({ evaluationSettingsId: ids.facts, scorerGroupId: null, additionalScorerIds: null });

    const scored = await submitOne(body.runId);

    const { judges, similarity, deterministic } = onlyRequest();
    expect(judges).toMatchObject([{ id: "primary", name: "Facts", judgePrompt: "Rate {output}" }]);
    expect(similarity).toEqual({ jaccard: false, bleu: false, rouge: true, vector: null });
    expect(deterministic.codeScorers).toEqual([]);
    expect(scored).toMatchObject({ rating: 3, codeScorerResults: null, judgeScorerResults: null });
    expect(await readRun(body.runId)).toMatchObject({ evaluationSettingsId: ids.facts, scorerBreakdown: null });
  });

  test("ends as it began, whatever becomes of them", async () => {
    const created = await client.send("POST", "/evaluation-settings", { name: "Facts", acceptanceCriteria: "old" });
    const { body } = await create({ evaluationSettingsId: created.body._id });
    await client.send("PUT", `/evaluation-settings/${created.body._id}`, { acceptanceCriteria: "new" });

    await submitOne(body.runId);
    await client.send("DELETE", `/evaluation-settings/${created.body._id}`);
    await submitOne(body.runId);

    expect(judge.asked.map(({ judges }) => judges[0]?.acceptanceCriteria)).toEqual(["old", "old"]);
  });
});

describe("a run with additional judges", () => {
  test("has a row for each beside the primary's rating, and a breakdown of all", {
    tags: ["spec:run.additionalScorerIds", "spec:run.scorerBreakdown", "spec:result.judgeScorerResults"],
  }, async () => {
    const { body } = await create({ additionalScorerIds: [ids.tone, ids.clarity, ids.tone] });
    expect(body).toMatchObject({ additionalScorerIds: [ids.tone, ids.clarity], evaluationSettingsId: null });

    const scored = await submitOne(body.runId);

    expect(onlyRequest().judges.map(({ id, model }) => [id, model])).toEqual([
      ["primary", null],
      [ids.tone, null],
      [ids.clarity, "gpt-4o-mini"],
    ]);
    expect(scored).toMatchObject({
      rating: 8,
      codeScorerResults: [{ name: "Length", score: 1 }],
      judgeScorerResults: [
        { scorerId: ids.tone, name: "Tone", rating: 9, justification: "Tone says 9." },
        { scorerId: ids.clarity, name: "Clarity", rating: 6, justification: "Clarity says 6." },
      ],
    });
    expect(scored?.judgeScorerResults?.[0]).not.toHaveProperty("status");

    judge.behave((asked) => answerAll(asked, { Orders: 4, Tone: null, Clarity: 2 }));
    await submitOne(body.runId);
    await submitOne(body.runId, { isSmokeTestVariant: true });
    const run = await readRun(body.runId);
    expect(run.results[1].judgeScorerResults).toEqual([
      { scorerId: ids.tone, name: "Tone", ...skippedAs("Tone cannot say."), verdictId: null },
      {
        scorerId: ids.clarity,
        name: "Clarity",
        rating: 2,
        justification: "Clarity says 2.",
        status: "scored",
        verdictId: null,
      },
    ]);
    expect(run).toMatchObject({
      additionalScorerIds: [ids.tone, ids.clarity],
      averageRating: 6,
      scorerBreakdown: [
        { scorerId: datasetId, name: "Orders", primary: true, averageRating: 6, scored: 2 },
        { scorerId: ids.tone, name: "Tone", primary: false, averageRating: 9, scored: 1 },
        { scorerId: ids.clarity, name: "Clarity", primary: false, averageRating: 4, scored: 2 },
      ],
    });
  });

  test("asks none of them twice: the primary is not additional", async () => {
    const named = { evaluationSettingsId: ids.tone, additionalScorerIds: [ids.tone, ids.facts] };
    const { body } = await create(named);
    expect(body.additionalScorerIds).toEqual([ids.facts]);
    expect((await create({ ...named, additionalScorerIds: [ids.tone] })).body.additionalScorerIds).toBeNull();

    await submitOne(body.runId);
    expect((await readRun(body.runId)).scorerBreakdown).toMatchObject([
      { scorerId: ids.tone, name: "Tone", primary: true, averageRating: 9 },
      { scorerId: ids.facts, primary: false, averageRating: 3 },
    ]);
  });

  test("keeps the other ratings when the primary gives none", async () => {
    const { body } = await create({ additionalScorerIds: [ids.tone] });
    judge.behave((asked) => answerAll(asked, { Tone: 5 }));

    expect(await submitOne(body.runId)).toMatchObject({
      ...skippedAs("Orders cannot say."),
      codeScorerResults: [{ name: "Length", score: 1 }],
      judgeScorerResults: [{ rating: 5 }],
    });
    expect(await readRun(body.runId)).toMatchObject({
      averageRating: null,
      scorerBreakdown: [
        { averageRating: null, scored: 0 },
        { averageRating: 5, scored: 1 },
      ],
    });
  });
});

describe("a run with a scorer group", () => {
  test("is rated by the group's score, with a row for each of its judges; the dataset's scorers stay", {
    tags: ["spec:run.scorerGroupId"],
  }, async () => {
    const { body } = await create({ scorerGroupId: ids.group, additionalScorerIds: [ids.tone] });
    expect(body).toMatchObject({ scorerGroupId: ids.group, additionalScorerIds: null });
    judge.behave((asked) => answerAll(asked, { Clarity: 6, Facts: 3 }, { rating: 5.2, justification: "Weighted." }));

    const scored = await submitOne(body.runId);

    const { judges, group, deterministic } = onlyRequest();
    expect(judges.map(({ id }) => id)).toEqual([ids.clarity, ids.facts]);
    expect(group).toEqual({
      name: "Quality",
      members: [
        { kind: "judge", refId: ids.clarity, name: "Clarity", weight: 2, gate: false, stoppedByBudget: false },
        { kind: "judge", refId: ids.facts, name: "Facts", weight: 1, gate: true, stoppedByBudget: false },
      ],
    });
    expect(deterministic.codeScorers).toEqual([{ name: "Length", code: "return 1" }]);
    expect(scored).toMatchObject({
      rating: 5.2,
      justification: "Weighted.",
      judgeScorerResults: [
        { scorerId: ids.clarity, rating: 6 },
        { scorerId: ids.facts, rating: 3 },
      ],
    });
    expect(await readRun(body.runId)).toMatchObject({
      scorerGroupId: ids.group,
      averageRating: 5.2,
      scorerBreakdown: [
        { scorerId: ids.group, name: "Quality (group)", primary: true, averageRating: 5.2, scored: 1 },
        { scorerId: ids.clarity, name: "Clarity", primary: false, averageRating: 6, scored: 1 },
        { scorerId: ids.facts, name: "Facts", primary: false, averageRating: 3, scored: 1 },
      ],
    });
  });

  test("skips a result that the group gives no score, with the group's reason", async () => {
    const { body } = await create({ scorerGroupId: ids.group });
    const unrated = { rating: null, justification: "Facts gave nothing.", reason: "gate_unrated" as const };
    judge.behave((asked) => answerAll(asked, { Clarity: 6 }, unrated));

    expect(await submitOne(body.runId)).toMatchObject({
      ...skippedAs("Facts gave nothing."),
      judgeScorerResults: [{ rating: 6 }, { rating: null }],
    });
  });

  test("refuses results once the group is gone, and stores nothing", {
    tags: ["spec:run.results.409.scorer-group"],
  }, async () => {
    const scorerGroupId = await createGroup();
    const { body } = await create({ scorerGroupId });
    const first = buildResult();
    await client.submit(body.runId, [first]);
    await client.sendTo("DELETE", `${groups}/${scorerGroupId}`);
    judge.asked.length = 0;

    for (const result of [buildResult(), first]) {
      expect(await client.submit(body.runId, [result])).toMatchObject({
        status: 409,
        body: { error: "The scorer group grading this run no longer exists" },
      });
    }
    expect(judge.asked).toEqual([]);
    expect(await readRun(body.runId)).toMatchObject({ resultCount: 1, scorerGroupId });
    expect((await client.finalize(body.runId)).body).toMatchObject({ status: "completed", resultCount: 1 });
    expect((await client.submit(body.runId, [buildResult()])).body.error).toBe("Run is already in a terminal state");
  });
});

describe("graders of another project", () => {
  test("are not found when a run names them", async () => {
    const stranger = createProjectClient((await system.startService()).address);
    const foreign = await stranger.createDataset(buildDataset());
    const createForeign = (graders: object) => stranger.send("POST", "/runs", { datasetId: foreign, ...graders });

    for (const [graders, error] of [
      [{ evaluationSettingsId: ids.tone }, "Evaluation settings not found"],
      [{ scorerGroupId: ids.group }, "Scorer group not found"],
      [{ additionalScorerIds: [ids.tone] }, `Judge scorer not found: ${ids.tone}`],
      [{ scorerGroupId: ids.group, additionalScorerIds: [ids.tone] }, "Scorer group not found"],
    ] as const) {
      expect(await createForeign(graders)).toMatchObject({ status: 404, body: { error } });
    }
  });
});

describe("a run's verdict mode", () => {
  test.each(["live", "cache", "replay"] as const)("%s is sent to the judge and returned", async (mode) => {
    const { body } = await create({ verdictMode: mode });
    judge.behave((asked) => {
      const reply = answerAll(asked, { Orders: 8 });
      return { ...reply, verdicts: reply.verdicts.map((verdict) => ({ ...verdict, source: mode })) };
    });

    await submitOne(body.runId);

    expect(onlyRequest()).toMatchObject({ verdictMode: mode, runNumber: 1, organizationId: null });
    expect(await readRun(body.runId)).toMatchObject({ verdictMode: mode, results: [{ verdictSource: mode }] });
  });
});

describe("without a judge", () => {
  test("each requested judge and scorer has a row with its result", async () => {
    const away = await startTestSystem();
    try {
      const lonely = createProjectClient((await away.startService({ outageMs: 100 })).address);
      const { body: tone } = await lonely.send("POST", "/evaluation-settings", { name: "Tone" });
      const dataset = await lonely.createDataset({
        name: "Orders",
        codeScorers: [{ name: "Length", code: "return 1" }],
        questions: [{ main_question: { query: "q", expectedTrajectory: { tools: ["search"] } } }],
      });
      const runId = await lonely.createRun(dataset, { additionalScorerIds: [tone._id] });

      const { body } = await lonely.submit(runId, [buildResult()]);

      const error = "No judge is running.";
      expect(body.scoredResults[0]).toMatchObject({
        ...skippedAs(error),
        codeScorerResults: [
          { name: "Length", score: null, error },
          { name: "Trajectory match (strict)", score: null, error },
        ],
        judgeScorerResults: [{ scorerId: tone._id, rating: null, justification: error }],
      });
    } finally {
      await away.stop();
    }
  });
});
