import { expect, test } from "vitest";
import { type ComparedCase, compareRows, countShows, showRows, sortRows } from "../../src/runs/compare-rows.ts";

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

test("a case did worse or better by the least effect or more, else about the same", () => {
  expect(rows.map(({ key, change }) => `${key} ${change}`)).toEqual([
    "0 same",
    "1 worse",
    "2 unrated",
    "3 better",
    "none same",
  ]);
});

test.each([
  ["delta", "1 none 0 3 2"],
  ["-delta", "3 0 none 1 2"],
  ["case", "0 1 2 3 none"],
  ["candidate", "0 1 2 3 none"],
] as const)("sorted by %s, what has no value comes last: %s", (order, expected) => {
  expect(
    sortRows(rows, order)
      .map(({ key }) => key)
      .join(" "),
  ).toBe(expected);
});

test("each count is how many cases its view shows", () => {
  expect(countShows(rows)).toEqual({ changed: 2, worse: 1, same: 2, better: 1, unrated: 1, errors: 1 });
  expect(showRows(rows, "errors").map(({ key }) => key)).toEqual(["2"]);
  expect(showRows(rows, undefined)).toHaveLength(5);
});
