import { expect, test } from "vitest";
import { filterCases, groupCases, sortCases } from "../../src/runs/case-rows.ts";
import { judgedBy, resultRow } from "./results.ts";

const byOwn = { scorerId: null, baseline: new Map<number, number>() };

test("repetitions of a case are one row with their mean, spread and the reason of the worst", () => {
  const [row] = groupCases(
    [resultRow({ rating: 9 }), resultRow({ runNumber: 2, rating: 4, justification: "It guesses." })],
    byOwn,
  );
  expect(row).toMatchObject({
    key: "0",
    rating: 6.5,
    spread: { least: 4, greatest: 9 },
    why: "It guesses.",
    status: "scored",
  });
});

test("paraphrases stand beside the repetitions and count in no figure", () => {
  const [row] = groupCases([resultRow({ rating: 8 }), resultRow({ rating: 0, isSmokeTestVariant: true })], byOwn);
  expect(row).toMatchObject({ rating: 8, spread: null });
  expect(row?.variants).toHaveLength(1);
});

test("a skipped result leaves the rating unknown, a failed one is 0 for every scorer", () => {
  const rows = groupCases(
    [
      resultRow({ status: "skipped", rating: null }),
      resultRow({ questionIndex: 1, status: "failed", rating: 0, justification: "It timed out." }),
    ],
    { ...byOwn, scorerId: "tone" },
  );
  expect(rows.map(({ rating, status, why }) => [rating, status, why])).toEqual([
    [null, "skipped", null],
    [0, "failed", "It timed out."],
  ]);
});

test("another scorer's ratings and reasons take the place of the run's", () => {
  const [row] = groupCases([resultRow({ judgeScorerResults: [judgedBy("tone", 3)] })], { ...byOwn, scorerId: "tone" });
  expect(row).toMatchObject({ rating: 3, why: "tone says so." });
});

test("a delta is there only where both runs are rated", () => {
  const rows = groupCases([resultRow({ rating: 6 }), resultRow({ questionIndex: 1 })], {
    scorerId: null,
    baseline: new Map([[0, 8.5]]),
  });
  expect(rows.map(({ delta }) => delta)).toEqual([-2.5, null]);
});

test("results without a case are rows of their own", () => {
  const rows = groupCases([resultRow({ questionIndex: null }), resultRow({ questionIndex: null })], byOwn);
  expect(rows.map(({ key }) => key)).toEqual(["none-0", "none-1"]);
});

const rows = groupCases(
  [
    resultRow({ rating: 5 }),
    resultRow({ questionIndex: 1, rating: 2 }),
    resultRow({ questionIndex: 2, status: "skipped", rating: null }),
    resultRow({ questionIndex: 3, status: "failed", rating: 0 }),
  ],
  {
    scorerId: null,
    baseline: new Map([
      [0, 9],
      [1, 1],
    ]),
  },
);
const keys = (shown: typeof rows) => shown.map(({ key }) => key).join(" ");

test("a range holds its upper edge and not its lower one", () => {
  expect(keys(filterCases(rows, { above: 2, max: 5 }))).toBe("0");
  expect(keys(filterCases(rows, { max: 2 }))).toBe("1 3");
  expect(keys(filterCases(rows, { status: "skipped" }))).toBe("2");
});

test.each([
  ["case", "0 1 2 3"],
  ["rating", "3 1 0 2"],
  ["-rating", "0 1 3 2"],
  ["delta", "0 1 2 3"],
] as const)("sorted by %s, what has no value comes last", (order, expected) => {
  expect(keys(sortCases(rows, order))).toBe(expected);
});
