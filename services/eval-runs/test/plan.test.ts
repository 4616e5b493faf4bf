import { describe, expect, test } from "vitest";
import {
  type GradingSource,
  gradersOf,
  type NamedSources,
  planOfDataset,
  planOfRun,
  readPlan,
  rowGradersOf,
  scorerMembersOf,
  writePlan,
} from "../src/grading/plan.ts";

const source = (id: string, document: object = {}): GradingSource => ({
  id,
  document: JSON.stringify({ name: `name of ${id}`, ...document }),
});
const nothing: NamedSources = { settings: null, group: null, groupJudges: new Map(), groupScorers: [], additional: [] };
const grader = (id: string, more = {}) => ({
  id,
  name: `name of ${id}`,
  model: null,
  acceptanceCriteria: null,
  rejectionCriteria: null,
  evaluationCriteria: null,
  requiresExpected: false,
  judgePrompt: null,
  toolContext: "simple",
  ...more,
});
const scorer = (name: string, more = {}) => ({ id: name, name, code: `return "${name}"`, ...more });

const datasetPlan = planOfDataset(
  source("dataset", { acceptanceCriteria: "ours", bleuScore: { enabled: true }, codeScorers: [scorer("length")] }),
);

describe("the plan of a dataset", () => {
  test("is one judge without metrics or code scorers when the dataset states nothing", () => {
    expect(planOfDataset(source("dataset"))).toEqual({
      primary: { kind: "judge", grader: grader("dataset") },
      additional: [],
      metrics: { jaccard: false, bleu: false, rouge: false, vector: null },
      codeScorers: [],
    });
  });

  test("has the criteria, the metrics that are there and the code scorers that are on", () => {
    const plan = planOfDataset(
      source("dataset", {
        acceptanceCriteria: "a",
        rejectionCriteria: "r",
        evaluationCriteria: "e",
        vectorSimilarity: { enabled: true, model: "local-hash" },
        rougeScore: { enabled: true },
        codeScorers: [scorer("one"), scorer("off", { enabled: false }), { id: "x", code: "return 1" }],
      }),
    );

    expect(plan.primary).toEqual({
      kind: "judge",
      grader: grader("dataset", { acceptanceCriteria: "a", rejectionCriteria: "r", evaluationCriteria: "e" }),
    });
    expect(plan.metrics).toEqual({ jaccard: false, bleu: false, rouge: true, vector: { model: "local-hash" } });
    expect(plan.codeScorers).toEqual([
      { name: "one", code: 'return "one"' },
      { name: "Untitled scorer", code: "return 1" },
    ]);
  });

  test("has no more code scorers than the judge takes", () => {
    const codeScorers = Array.from({ length: 60 }, (_, index) => scorer(`scorer ${index}`));
    expect(planOfDataset(source("dataset", { codeScorers })).codeScorers).toHaveLength(50);
  });
});

describe("the plan of a run", () => {
  test("is the dataset's when nothing else is named", () => {
    expect(planOfRun(datasetPlan, nothing)).toEqual(datasetPlan);
  });

  test("is that of the grading settings, metrics and code scorers included", () => {
    const settings = source("config", {
      judgePrompt: "Rate {output}",
      judgeModel: "gpt-4o-mini",
      toolContext: "detailed",
      requiresExpected: true,
    });

    const plan = planOfRun(datasetPlan, { ...nothing, settings });

    expect(plan).toEqual({
      primary: {
        kind: "judge",
        grader: grader("config", {
          judgePrompt: "Rate {output}",
          model: "gpt-4o-mini",
          toolContext: "detailed",
          requiresExpected: true,
        }),
      },
      additional: [],
      metrics: { jaccard: false, bleu: false, rouge: false, vector: null },
      codeScorers: [],
    });
  });

  test("has additional judges beside the primary, in the order named", () => {
    const plan = planOfRun(datasetPlan, { ...nothing, additional: [source("b"), source("a")] });

    expect(gradersOf(plan).map(({ id }) => id)).toEqual(["dataset", "b", "a"]);
    expect(rowGradersOf(plan)).toEqual([grader("b"), grader("a")]);
    expect(plan.codeScorers).toEqual(datasetPlan.codeScorers);
  });

  const member = (refId: string, more = {}) => ({ kind: "judge", refId, weight: 1, gate: false, ...more });
  const group = source("group", { members: [member("b", { weight: 2 }), member("a", { gate: true }), member("b")] });
  const groupJudges = new Map([source("a"), source("b")].map((judge) => [judge.id, judge]));

  test("has a group's judges in place of the dataset's and of additional ones; metrics and code scorers stay", () => {
    const plan = planOfRun(datasetPlan, { ...nothing, group, groupJudges, additional: [source("c")] });

    expect(plan).toEqual({
      ...datasetPlan,
      primary: {
        kind: "group",
        groupId: "group",
        name: "name of group",
        members: [
          member("b", { name: "name of b", weight: 2 }),
          member("a", { name: "name of a", gate: true }),
          member("b", { name: "name of b" }),
        ],
        graders: [grader("b"), grader("a")],
      },
    });
    expect(gradersOf(plan)).toEqual(rowGradersOf(plan));
  });

  test("keeps a member whose judge is gone, without a judge to ask", () => {
    const plan = planOfRun(datasetPlan, { ...nothing, group, groupJudges: new Map([["a", source("a")]]) });

    expect(gradersOf(plan)).toEqual([grader("a")]);
    expect(plan.primary).toMatchObject({ members: [{ name: "b" }, { name: "name of a" }, { name: "b" }] });
  });

  test("keeps the current definitions of a group's patterns and custom scorers; a deleted one is not asked for", () => {
    const mixed = source("group", {
      members: [member("p", { kind: "pattern" }), member("a"), member("p", { kind: "custom", gate: true })],
    });
    const known = { kind: "pattern" as const, refId: "p", name: "Secrets", definition: { builtin: "secrets" } };

    const plan = planOfRun(datasetPlan, { ...nothing, group: mixed, groupJudges, groupScorers: [known] });

    expect(scorerMembersOf(plan)).toEqual([
      { ...known, weight: 1, gate: false },
      { kind: "custom", refId: "p", name: "p", weight: 1, gate: true },
    ]);
    expect(gradersOf(plan)).toEqual([grader("a")]);
    expect(readPlan(writePlan(plan))).toEqual(plan);
  });

  test("comes back from its stored text as it was, whatever it holds", () => {
    const odd = source("c", { name: "NUL \0, half a pair \ud800, __proto__", acceptanceCriteria: "\u2028" });
    const plan = planOfRun(datasetPlan, { ...nothing, settings: odd, additional: [source("d")] });

    expect(readPlan(writePlan(plan))).toEqual(plan);
    expect(writePlan(plan)).not.toMatch(/[\0\ud800]/);
  });
});
