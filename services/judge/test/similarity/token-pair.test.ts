import { runAtOnce } from "@touchstone/service-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readTokenPair, similarityTextMaxBytes } from "../../src/scorers/similarity/token-pair.ts";

const read = (candidate: string, reference: string) => runAtOnce(readTokenPair(candidate, reference));

/** The specification's words, letter by letter (completions 6.5). */
function tokensAsSpecified(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, " ")
    .split(/\s+/)
    .filter((token) => token !== "");
}

test("equal tokens get equal numbers in both texts, whatever their case and punctuation", () => {
  expect(read("The cat, the CAT!", "a cat")).toEqual({
    candidate: Uint32Array.of(0, 1, 0, 1),
    reference: Uint32Array.of(2, 1),
    vocabularySize: 3,
  });
});

test("letters and numbers of every script are tokens; apostrophes, hyphens and underscores split", () => {
  expect(read("don't re-run x_1 Ähre 東京 ٣", "x")?.candidate).toHaveLength(9);
});

test("a text that is blank or contains no letter and no number has no tokens", () => {
  for (const nothing of ["", "   \n\t", "!?... --", "🙂🙂"]) {
    expect(read(nothing, "text")).toBeNull();
    expect(read("text", nothing)).toBeNull();
  }
});

test("a text over 1 MB of UTF-8 is not compared; one of exactly 1 MB is", () => {
  const full = "a".repeat(similarityTextMaxBytes);
  expect(read(full, "a")?.candidate).toHaveLength(1);
  expect(read(`${full}a`, "a")).toBeNull();
  expect(read("a", `${full}a`)).toBeNull();
  expect(read("ä".repeat(similarityTextMaxBytes / 2), "a")).not.toBeNull();
  expect(read(`${"ä".repeat(similarityTextMaxBytes / 2)}a`, "a")).toBeNull();
});

test("tokens are those of the specification, for every text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      const expected = tokensAsSpecified(text);
      const pair = read(text, "x");
      expect(pair?.candidate.length ?? 0).toBe(expected.length);
      if (pair) expect(new Set(pair.candidate).size).toBe(new Set(expected).size);
    }),
    { numRuns: 2_000 },
  );
});
