import { expect, test } from "vitest";
import { alignCases, alignRatings } from "../src/runs/align-cases.ts";

const questions = (...queries: string[]) => queries.map((query) => ({ query, followUps: [] }));
const places = (from: string[], to: string[]): number[] => {
  const placeOf = alignCases(questions(...from), questions(...to));
  return from.map((_, index) => placeOf(index));
};

test("a case is found by its question, wherever it is", () => {
  expect(places(["a", "b", "c"], ["b", "c"])).toEqual([2, 0, 1]);
  expect(places(["a", "b"], ["b", "x", "a"])).toEqual([2, 0]);
});

test("of equal questions the first is the first, and one more follows after all cases", () => {
  expect(places(["a", "a", "b", "a"], ["b", "a", "a"])).toEqual([1, 2, 0, 3]);
});

test("another question after it makes it another case", () => {
  const placeOf = alignCases([{ query: "a", followUps: ["b"] }], questions("a"));
  expect(placeOf(0)).toBe(1);
});

test("a case that no version has is no case of the other", () => {
  expect(alignCases(questions("a"), questions("a", "b"))(5)).toBeGreaterThan(1);
});

test("ratings go with their cases", () => {
  const ratings = { runId: "r", averageRating: 5, isInProgress: false, caseRatings: new Map([[1, 4]]) };
  const placeOf = alignCases(questions("a", "b"), questions("b"));
  expect(alignRatings(ratings, placeOf).caseRatings).toEqual(new Map([[0, 4]]));
});
