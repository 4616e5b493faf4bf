import { expect, test } from "vitest";
import { type ComparedCase, compareRows, countShows, showRows } from "../../src/runs/compare-rows.ts";

const nothing = {
  rating: null,
  output: null,
  justification: null,
  error: null,
  resultId: null,
  traceId: null,
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
};
const compared = (
  questionIndex: number | null,
  delta: number | null,
  changes: Partial<ComparedCase> = {},
): ComparedCase => ({
  questionIndex,
  query: "?",
  expected: null,
  baseline: nothing,
  candidate: nothing,
  delta,
  ...changes,
});

const rows = compareRows({
  cases: [
    compared(0, 0.4),
    compared(1, -3),
    compared(2, null, { candidate: { ...nothing, error: { type: "Timeout" } } }),
    compared(3, 0.5),
    compared(null, -0.4),
  ],
  paired: { minEffect: 0.5 },
});

test("the greatest loss stands first, what is not rated on both sides last", () => {
  expect(rows.map(({ key, change }) => `${key} ${change}`)).toEqual([
    "1 worse",
    "none same",
    "0 same",
    "3 better",
    "2 unrated",
  ]);
});

test("each count is how many cases its view shows", () => {
  expect(countShows(rows)).toEqual({ changed: 2, worse: 1, same: 2, better: 1, unrated: 1, errors: 1 });
  expect(showRows(rows, "errors").map(({ key }) => key)).toEqual(["2"]);
  expect(showRows(rows, undefined)).toHaveLength(5);
});
