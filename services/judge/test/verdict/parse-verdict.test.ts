import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { justificationMaxChars, parseVerdict } from "../../src/verdict/parse-verdict.ts";
import { repliesWithoutRating, repliesWithRating } from "./replies.ts";

describe("a usable reply", () => {
  test.each(repliesWithRating)("%s is rated %d", (_, rating, text) => {
    expect(parseVerdict(text)?.rating).toBe(rating);
  });

  test("keeps what the judge said", () => {
    expect(parseVerdict('{"justification": "Says \\"Tuesday\\", as expected.", "rating": 9}')).toEqual({
      rating: 9,
      justification: 'Says "Tuesday", as expected.',
    });
  });

  test("may leave out the justification, or get it wrong", () => {
    for (const text of [
      '{"rating": 3}',
      '{"rating": 3, "justification": null}',
      '{"rating": 3, "justification": {}}',
    ]) {
      expect(parseVerdict(text)).toEqual({ rating: 3, justification: "" });
    }
  });

  test("gives a justification that a database takes: no NUL, no half surrogate pair", () => {
    const text = '{"rating": 3, "justification": "a\\u0000b\\ud800c"}';
    expect(parseVerdict(text)?.justification).toBe("a\uFFFDb\uFFFDc");
  });

  test("has an endless justification cut, and says so", () => {
    const justification = parseVerdict(
      JSON.stringify({ rating: 3, justification: "x".repeat(900_000) }),
    )?.justification;
    expect(justification).toHaveLength(justificationMaxChars + "... [cut after 20000 characters]".length);
    expect(justification).toMatch(/^x+\.\.\. \[cut after 20000 characters\]$/);
  });
});

describe("an unusable reply", () => {
  test.each(repliesWithoutRating)("%s gives nothing", (_, text) => {
    expect(parseVerdict(text)).toBeNull();
  });

  test("of a megabyte of braces is recognised without quadratic work", () => {
    // Quadratic work would take minutes here and run into the test's time limit.
    expect(parseVerdict("{".repeat(1_000_000))).toBeNull();
    expect(parseVerdict('{"a":'.repeat(200_000))).toBeNull();
  });
});

const corpus = [...repliesWithRating.map(([, , text]) => text), ...repliesWithoutRating.map(([, text]) => text)];

/** A reply with something cut out, put in, doubled or changed at random places. */
const mutated = fc
  .tuple(
    fc.constantFrom(...corpus),
    fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(8), fc.string({ unit: "binary", maxLength: 6 })),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
  )
  .map(([text, cuts]) =>
    cuts.reduce((current, [place, length, insert]) => {
      const at = Math.floor(place * current.length);
      return current.slice(0, at) + insert + current.slice(at + length);
    }, text),
  );

test("whatever a judge replies, the rating is between 0 and 10 or there is none [spec:limit.rating]", () => {
  fc.assert(
    fc.property(fc.oneof(mutated, fc.json(), fc.string({ unit: "binary" })), (text) => {
      const verdict = parseVerdict(text);
      if (verdict === null) return;
      expect(verdict.rating).toBeGreaterThanOrEqual(0);
      expect(verdict.rating).toBeLessThanOrEqual(10);
      expect(verdict.justification.isWellFormed()).toBe(true);
      expect(verdict.justification).not.toContain("\0");
    }),
    { numRuns: 10_000 },
  );
});

test("any number is clamped, wherever it stands in the object and whatever surrounds it", () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(
      finite,
      fc.string(),
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "`", '"', "}") }),
      (rating, said, around) => {
        const text = `${around}${JSON.stringify({ justification: said, rating })}${around}`;
        expect(parseVerdict(text)).toEqual({ rating: Math.min(10, Math.max(0, rating)) + 0, justification: said });
      },
    ),
  );
});
