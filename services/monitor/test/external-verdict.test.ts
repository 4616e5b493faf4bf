import { expect, test } from "vitest";
import { ratingOfScore, verdictOfEvaluations } from "../src/verdicts/external-verdict.ts";

test.each([
  [0, 0],
  [0.7, 7],
  [0.305, 3.05],
  [1, 10],
  [-0.1, null],
  [1.0001, null],
  [7, null],
  [Number.NaN, null],
  [null, null],
])("a score of %j rates as %j", (score, rating) => {
  expect(ratingOfScore(score)).toBe(rating);
});

const evaluation = { spanId: "a", score: 0.5, label: null, explanation: null };

test("a trace is as good as its weakest graded span, and what cannot be rated does not count", () => {
  const weakest = { ...evaluation, spanId: "b", score: 0.2, label: "poor", explanation: "It made that up." };
  expect(verdictOfEvaluations([evaluation, weakest, { ...evaluation, score: -4 }])).toEqual({
    rating: 2,
    justification: 'Score 0.2, "poor". It made that up.',
  });
  expect(
    verdictOfEvaluations([
      { ...evaluation, score: 80 },
      { ...evaluation, score: null, label: "good" },
    ]),
  ).toBeNull();
  expect(verdictOfEvaluations([])).toBeNull();
});
