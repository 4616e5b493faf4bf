import { runAtOnce } from "@touchstone/service-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { measureCommonSubsequence } from "../../src/scorers/similarity/rouge/common-subsequence.ts";
import { scoreRouge } from "../../src/scorers/similarity/rouge/score.ts";
import { scoreTexts } from "./score-texts.ts";

const rouge = (candidate: string, reference: string) => scoreTexts(candidate, reference, scoreRouge);

test.each([
  // LCS "police the gunman" = 3; precision 3/4, recall 3/4.
  ["police kill the gunman", "police killed the gunman", 3 / 4],
  // LCS "the gunman" = 2; precision 2/4, recall 2/4.
  ["the gunman kill police", "police killed the gunman", 2 / 4],
  // LCS "a c" = 2; precision 2/3, recall 2/2; F1 = 0.8.
  ["a b c", "a c", 0.8],
  ["no words", "shared here", 0],
  ["Tuesday!", "tuesday", 1],
])("%j against %j scores %d", (candidate, reference, expected) => {
  expect(rouge(candidate, reference)).toBeCloseTo(expected, 12);
});

test("a text without tokens has no score", () => {
  expect(rouge("", "a")).toBeNull();
  expect(rouge("a", "…")).toBeNull();
});

/** The textbook table. */
function commonByTable(left: readonly number[], right: readonly number[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const token of left) {
    const next = [0];
    for (let column = 1; column <= right.length; column += 1) {
      next.push(
        token === right[column - 1]
          ? (row[column - 1] as number) + 1
          : Math.max(row[column] as number, next[column - 1] as number),
      );
    }
    row = next;
  }
  return row[right.length] as number;
}

const common = (left: readonly number[], right: readonly number[], vocabularySize: number) =>
  runAtOnce(measureCommonSubsequence(Uint32Array.from(left), Uint32Array.from(right), vocabularySize));

// Long enough for several words of 32 bits, so that carries cross them; few tokens make matches dense, many sparse.
const sequences = fc
  .integer({ min: 1, max: 40 })
  .chain((vocabularySize) =>
    fc.tuple(
      fc.constant(vocabularySize),
      fc.array(fc.nat(vocabularySize - 1), { maxLength: 150, size: "max" }),
      fc.array(fc.nat(vocabularySize - 1), { maxLength: 150, size: "max" }),
    ),
  );

test("the common subsequence is as long as in the textbook's table, for every pair of sequences", () => {
  fc.assert(
    fc.property(sequences, ([vocabularySize, left, right]) => {
      expect(common(left, right, vocabularySize)).toBe(commonByTable(left, right));
    }),
    { numRuns: 1_000 },
  );
});

test("a carry passes through machine words without a mark", () => {
  const unmarked = new Array<number>(200).fill(1);
  expect(common([0, 2, 0, 2], [0, ...unmarked, 2, ...unmarked, 0, ...unmarked, 2], 3)).toBe(4);
  expect(common([3, 0, 3], [0, ...unmarked, 0], 4)).toBe(1);
});

test("ROUGE is between 0 and 1, symmetric, and 1 for a text and itself", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 15 });
  fc.assert(
    fc.property(words, words, (left, right) => {
      const score = rouge(left.join(" "), right.join(" "));
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(score).toBe(rouge(right.join(" "), left.join(" ")));
      expect(rouge(left.join(" "), left.join(" "))).toBe(1);
    }),
  );
});
