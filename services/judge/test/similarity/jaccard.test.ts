import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreJaccard } from "../../src/scorers/similarity/jaccard/score.ts";
import { scoreTexts } from "./score-texts.ts";

const jaccard = (candidate: string, reference: string) => scoreTexts(candidate, reference, scoreJaccard);

test.each([
  // {the, cat, sat} and {the, cat, ran}: 2 shared of 4.
  ["the cat sat", "the cat ran", 2 / 4],
  // Repetitions do not count: {a, b} and {a}.
  ["a a a b", "a", 1 / 2],
  ["one two", "three four", 0],
  ["Same words, other ORDER", "order other words same", 1],
  // {it, costs, 42, 50} and {it, costs, 42}.
  ["It costs 42.50", "It costs 42", 3 / 4],
])("%j and %j are %d alike", (candidate, reference, expected) => {
  expect(jaccard(candidate, reference)).toBeCloseTo(expected, 12);
});

test("a text without tokens has no similarity at all", () => {
  expect(jaccard("", "a")).toBeNull();
  expect(jaccard("a", " ... ")).toBeNull();
});

const text = fc
  .array(fc.constantFrom("a", "b", "c", "d", "1", "é"), { minLength: 1, maxLength: 12 })
  .map((words) => words.join(" "));

test("the Jaccard similarity is between 0 and 1, symmetric, and 1 for a text and itself", () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      const score = jaccard(left, right);
      expect(score).toBe(jaccard(right, left));
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(jaccard(left, left)).toBe(1);
    }),
  );
});
