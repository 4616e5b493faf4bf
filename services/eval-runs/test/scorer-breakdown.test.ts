import { expect, test } from "vitest";
import { type GradingPlan, planOfDataset, planOfRun } from "../src/grading/plan.ts";
import { createRunCounter } from "../src/runs/run-counter.ts";
import { computeScorerBreakdown } from "../src/runs/scorer-breakdown.ts";

const source = (id: string, document: object = {}) => ({
  id,
  document: JSON.stringify({ name: `name of ${id}`, ...document }),
});
const named = { settings: null, group: null, groupJudges: new Map(), groupScorers: [], additional: [] };
const alone = planOfDataset(source("dataset"));
const together = planOfRun(alone, { ...named, additional: [source("a"), source("b")] });
const members = [{ kind: "judge", refId: "a", weight: 1, gate: false }];
const byGroup = planOfRun(alone, {
  ...named,
  group: source("group", { members }),
  groupJudges: new Map([["a", source("a")]]),
});

type CountedRow = Parameters<ReturnType<typeof createRunCounter>["add"]>[0];

const breakDown = (plan: GradingPlan, results: readonly CountedRow[]) => {
  const counter = createRunCounter(plan);
  for (const row of results) counter.add(row);
  return computeScorerBreakdown(plan, counter.end());
};

const result = (
  rating: number | null,
  others: Record<string, number | null> | null,
  more: Partial<CountedRow> = {},
): CountedRow => ({
  isVariant: false,
  status: rating === null ? "skipped" : "scored",
  rating,
  skipReason: null,
  questionIndex: 0,
  rowText: JSON.stringify({
    judgeScorerResults: others && Object.entries(others).map(([scorerId, given]) => ({ scorerId, rating: given })),
  }),
  ...more,
});

test("one judge has no breakdown", () => {
  expect(breakDown(alone, [result(5, null)])).toBeNull();
});

test("several judges are averaged each for itself, the primary first, variants left out", () => {
  const results = [
    result(8, { a: 2, b: 9 }),
    result(4, { a: 3, b: null }),
    result(null, { a: 7, b: null }),
    result(1, { a: 1, b: 1 }, { isVariant: true }),
  ];

  expect(breakDown(together, results)).toMatchObject([
    { scorerId: "dataset", name: "name of dataset", primary: true, averageRating: 6, scored: 2 },
    { scorerId: "a", name: "name of a", primary: false, averageRating: 4, scored: 3 },
    { scorerId: "b", name: "name of b", primary: false, averageRating: 9, scored: 1 },
  ]);
});

test("a failed result is 0 for every judge", () => {
  const results = [result(8, { a: 6, b: 4 }), result(0, null, { status: "failed" })];

  expect(breakDown(together, results)).toMatchObject([
    { averageRating: 4, scored: 2 },
    { averageRating: 3, scored: 2 },
    { averageRating: 2, scored: 2 },
  ]);
});

test("a group is first under its name, then its judges, however few and before any result", () => {
  expect(breakDown(byGroup, [])).toMatchObject([
    { scorerId: "group", name: "name of group (group)", primary: true, averageRating: null, scored: 0 },
    { scorerId: "a", name: "name of a", primary: false, averageRating: null, scored: 0 },
  ]);
});
