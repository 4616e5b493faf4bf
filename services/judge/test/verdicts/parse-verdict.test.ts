import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { justificationMaxChars, parseVerdict } from "../../src/verdicts/parse-verdict.ts";

describe("a usable reply", () => {
  test("keeps the judge's answer", () => {
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

  test("cuts an endless justification, and marks it", () => {
    const justification = parseVerdict(
      JSON.stringify({ rating: 3, justification: "x".repeat(900_000) }),
    )?.justification;
    expect(justification).toHaveLength(justificationMaxChars + "... [cut after 20000 characters]".length);
    expect(justification).toMatch(/^x+\.\.\. \[cut after 20000 characters\]$/);
  });
});

describe("an unusable reply", () => {
  test("of a megabyte of braces is recognised without quadratic work", () => {
    // Quadratic work would take minutes here and run into the test's time limit.
    expect(parseVerdict("{".repeat(1_000_000))).toBeNull();
    expect(parseVerdict('{"a":'.repeat(200_000))).toBeNull();
  });
});

test("any number is clamped, at any position in the object and with any surroundings", () => {
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
