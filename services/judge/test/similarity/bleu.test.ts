import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreBleu } from "../../src/scorers/similarity/bleu/score.ts";
import { scoreTexts } from "./score-texts.ts";

const bleu = (candidate: string, reference: string) => scoreTexts(candidate, reference, scoreBleu);

test.each([
  // Precisions 5/6, (3+1)/(5+1), (1+1)/(4+1), (0+1)/(3+1); equal length, so no penalty.
  ["the cat sat on the mat", "the cat is on the mat", ((5 / 6) * (4 / 6) * (2 / 5) * (1 / 4)) ** (1 / 4)],
  // Clipped: the reference has "the" twice, so 2 of 7; no bigram "the the", so (0+1)/(6+1), 1/6, 1/5. No penalty: longer.
  ["the the the the the the the", "the cat is on the mat", ((2 / 7) * (1 / 7) * (1 / 6) * (1 / 5)) ** (1 / 4)],
  // Orders go up to the shorter length, 2 here: 2/2 and (1+1)/(1+1); brevity exp(1 - 5/2).
  ["the cat", "the cat sat down here", Math.exp(1 - 5 / 2)],
  // A single token: order 1 only, 1/1; brevity exp(1 - 3/1).
  ["tuesday", "it is tuesday", Math.exp(1 - 3)],
  // Longer than the reference: no penalty. Orders up to 2: 2/3 and (1+1)/(2+1).
  ["a b c", "a b", ((2 / 3) * (2 / 3)) ** (1 / 2)],
  ["nothing in common", "entirely other words", 0],
])("%j against %j scores as computed by hand", (candidate, reference, expected) => {
  expect(bleu(candidate, reference)).toBeCloseTo(expected, 12);
});

test("a text without tokens has no score", () => {
  expect(bleu("", "a")).toBeNull();
  expect(bleu("a", "?!")).toBeNull();
});

const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 15 });

/** The definition with strings for grams, slowly. */
function bleuByDefinition(candidate: string[], reference: string[]): number {
  const orders = Math.min(4, candidate.length, reference.length);
  let logs = 0;
  for (let order = 1; order <= orders; order += 1) {
    const grams = (tokens: string[]) => tokens.slice(order - 1).map((_, at) => tokens.slice(at, at + order).join(" "));
    const left = grams(reference);
    let matches = 0;
    for (const gram of grams(candidate)) {
      const place = left.indexOf(gram);
      if (place < 0) continue;
      left.splice(place, 1);
      matches += 1;
    }
    const total = grams(candidate).length;
    if (order === 1 && matches === 0) return 0;
    logs += Math.log(order === 1 ? matches / total : (matches + 1) / (total + 1));
  }
  const brevity = candidate.length > reference.length ? 1 : Math.exp(1 - reference.length / candidate.length);
  return Math.min(1, brevity * Math.exp(logs / orders));
}

test("BLEU equals its definition for every pair of texts", () => {
  fc.assert(
    fc.property(words, words, (candidate, reference) => {
      const score = bleu(candidate.join(" "), reference.join(" "));
      expect(score).toBeCloseTo(bleuByDefinition(candidate, reference), 10);
    }),
    { numRuns: 500 },
  );
});

test("BLEU is between 0 and 1, and 1 for a text and itself", () => {
  fc.assert(
    fc.property(words, words, (candidate, reference) => {
      const score = bleu(candidate.join(" "), reference.join(" "));
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(bleu(candidate.join(" "), candidate.join(" "))).toBe(1);
    }),
  );
});
