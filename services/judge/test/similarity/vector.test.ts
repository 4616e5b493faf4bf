import { runAtOnce } from "@touchstone/service-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { embedByHashing } from "../../src/scorers/similarity/vector/hash-embedding.ts";
import { scoreVector } from "../../src/scorers/similarity/vector/score.ts";

test.each([
  [[1, 0], [1, 0], 1],
  [[1, 0], [0, 1], 0],
  // 3-4-5: (3*4 + 4*3) / 25.
  [[3, 4], [4, 3], 24 / 25],
  // Length does not matter, only direction.
  [[1, 1], [7, 7], 1],
  // An opposite direction is no similarity, not a negative one.
  [[1, 2], [-1, -2], 0],
])("%j and %j are %d alike", (candidate, reference, expected) => {
  expect(scoreVector(candidate, reference)).toBeCloseTo(expected, 12);
});

test.each([
  ["of different lengths", [1, 2], [1, 2, 3]],
  ["without a direction", [0, 0], [1, 2]],
  ["that are empty", [], []],
  ["with numbers that are not finite", [Number.POSITIVE_INFINITY, 1], [1, 1]],
])("vectors %s cannot be compared", (_, candidate, reference) => {
  expect(scoreVector(candidate, reference)).toBeNull();
});

test("the similarity of vectors is between 0 and 1, symmetric, and 1 for a vector and itself", () => {
  const component = fc.double({ min: -1_000, max: 1_000, noNaN: true }).filter((value) => Math.abs(value) > 1e-9);
  const vectors = fc
    .integer({ min: 1, max: 8 })
    .chain((length) =>
      fc.tuple(
        fc.array(component, { minLength: length, maxLength: length }),
        fc.array(component, { minLength: length, maxLength: length }),
      ),
    );
  fc.assert(
    fc.property(vectors, ([left, right]) => {
      const score = scoreVector(left, right);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(score).toBe(scoreVector(right, left));
      expect(scoreVector(left, left)).toBeCloseTo(1, 12);
    }),
  );
});

test("hashed embeddings need no provider, repeat exactly, and bring similar spellings together", () => {
  const embed = (text: string) => runAtOnce(embedByHashing(text));
  const order = embed("Your order arrives on Tuesday");
  expect(embed("Your order arrives on Tuesday")).toEqual(order);
  const near = scoreVector(order, embed("The orders arrive on Tuesday")) as number;
  const far = scoreVector(order, embed("Quantum chromodynamics")) as number;
  expect(near).toBeGreaterThan(0.5);
  expect(far).toBeLessThan(0.2);
});
