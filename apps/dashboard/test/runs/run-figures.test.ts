import { expect, test } from "vitest";
import { barOf, countByRating, metricFigures } from "../../src/runs/run-figures.ts";
import { resultRow } from "./results.ts";

test.each([
  [0, 0],
  [1, 0],
  [1.1, 1],
  [5, 4],
  [9.01, 9],
  [10, 9],
])("a rating of %d falls into bar %d, whose upper edge it may reach", (rating, bar) => {
  expect(barOf(rating)).toBe(bar);
});

test("neither skipped results nor paraphrases are counted", () => {
  const counts = countByRating(
    [resultRow({ rating: 8 }), resultRow({ rating: null, status: "skipped" }), resultRow({ isSmokeTestVariant: true })],
    null,
  );
  expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
});

test("metrics are means of what was computed, code scorers also say how many passed", () => {
  const figures = metricFigures([
    resultRow({ rougeScore: 0.4, codeScorerResults: [{ name: "Reads only", score: 1 }] }),
    resultRow({ rougeScore: null, codeScorerResults: [{ name: "Reads only", score: 0 }] }),
    resultRow({ codeScorerResults: [{ name: "Reads only", score: null, error: "It threw." }] }),
  ]);
  expect(figures).toEqual([
    { name: "ROUGE-L", mean: 0.4, count: 1, passed: null },
    { name: "Reads only", mean: 0.5, count: 2, passed: 1 },
  ]);
});
