import { runAtOnce } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { comparePairs } from "../../src/statistics/paired-difference.ts";
import { decidePaired } from "../../src/statistics/paired-verdict.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { ratingModels } from "./simulated-ratings.ts";

const compare = (differences: readonly number[], flips?: number) =>
  runAtOnce(comparePairs(differences, { seed: "baseline:candidate", ...(flips !== undefined && { flips }) }));

describe("the paired comparison", () => {
  test("has the p-value and the interval that going through all signs by hand gives", () => {
    // 64 sign patterns; the mean is 1.5. Only the pattern as found has a mean as large: 2 * 1 / 64. One value may lie
    // outside on each side (2.5 % of 64 is 1.6), so the interval reaches from the least to the greatest set mean.
    expect(compare([1, 1, 1, 2, 2, 2])).toEqual({ cases: 6, difference: 1.5, low: 1, high: 2, pValue: 0.03125 });
    // Seven cases, 128 patterns, three outside: set means 0 (case 7), 0.5 (with one of the ones), ... sorted by hand
    // the third smallest is 0.5 and the third largest 1.
    expect(compare([1, 1, 1, 1, 1, 1, 0])).toMatchObject({ low: 0.5, high: 1 });
  });

  test("is silent below six cases, where no signs can be unlikely enough", () => {
    expect(compare([-5, -5, -5, -5, -5])).toBeNull();
    expect(decidePaired(null, 0.5)).toEqual({ outcome: "undecided", moreCases: null });
  });

  test("finds no difference where there is none at all, also in decimal fractions", () => {
    expect(compare(Array(20).fill(0))).toMatchObject({ difference: 0, low: 0, high: 0, pValue: 1 });
    const balanced = compare([0.1, 0.2, -0.3, 0.3, -0.1, -0.2]);
    expect(balanced).toMatchObject({ difference: 0 });
    expect(balanced?.low).toBeLessThan(0);
    expect(balanced?.high).toBeGreaterThan(0);
  });

  test("is the same again for the same runs, and hardly another for others", () => {
    const random = createRandom("differences");
    const differences = Array.from({ length: 40 }, () => 4 * random.fraction() - 1.5);
    const first = runAtOnce(comparePairs(differences, { seed: "one:two" }));
    expect(runAtOnce(comparePairs(differences, { seed: "one:two" }))).toEqual(first);
    const other = runAtOnce(comparePairs(differences, { seed: "one:three" }));
    expect(other).not.toEqual(first);
    expect(other?.low).toBeCloseTo(first?.low as number, 1);
    expect(other?.high).toBeCloseTo(first?.high as number, 1);
  });

  test("pauses where there are many cases, so that others get their turn", () => {
    const differences = Array.from({ length: 25_000 }, (_, index) => (index % 7) - 3);
    expect([...comparePairs(differences, { seed: "one:two", flips: 100 })]).toHaveLength(50);
  });

  test("mirrors itself when the two runs change places", () => {
    const differences = [-2, -1, 0, 0, 1, -3, -2.5, 0.5];
    const one = compare(differences);
    const other = compare(differences.map((difference) => -difference));
    expect(other).toEqual({
      ...one,
      difference: 1 * -(one?.difference ?? 0),
      low: -(one?.high ?? 0),
      high: -(one?.low ?? 0),
    });
  });

  test("agrees with all signs where random ones are drawn", () => {
    const differences = [-2, -1, 0.5, 0, 1, -3, -2.5, 0.5, -1, -1, 0, 2, -4, -1];
    const exact = compare(differences);
    const drawn = compare([...differences, ...differences.slice(0, 1)], 200_000);
    const exactOfMore = compare(differences.slice(0, 13));
    expect(exact?.pValue).toBeLessThan(exactOfMore?.pValue as number);
    expect(drawn?.difference).toBeCloseTo(-0.9, 1);
    expect(drawn?.low).toBeLessThan(drawn?.difference as number);
  });
});

describe("the verdict on a comparison", () => {
  const compared = (difference: number, low: number, high: number, cases = 20) => ({
    cases,
    difference,
    low,
    high,
    pValue: 0.5,
  });
  test.for([
    ["the interval is below 0 and the difference large", compared(-0.6, -1, -0.2), "regressed", null],
    ["the difference is just large enough", compared(-0.5, -0.9, -0.1), "regressed", null],
    ["the interval is above 0 and the difference large", compared(0.6, 0.2, 1), "improved", null],
    ["it is certain but small", compared(-0.3, -0.5, -0.1), "no_evidence", null],
    ["the interval lies within the margin", compared(0.1, -0.3, 0.45), "no_evidence", null],
    // Half width 1 is to become 0.4 (the difference itself would need more): 20 * 2.5^2 = 125.
    ["the interval is wide around a small difference", compared(0.1, -0.9, 1.1), "undecided", 105],
    // Half width 0.8 is to become 0.7: 20 * (8 / 7)^2 = 26.1.
    ["a large difference is not yet certain", compared(-0.7, -1.5, 0.1), "undecided", 7],
    ["the interval touches 0", compared(-0.6, -1.2, 0), "undecided", 1],
  ] as const)("when %s", ([, input, outcome, moreCases]) => {
    expect(decidePaired(input, 0.5)).toEqual({ outcome, moreCases });
  });
});

/** 2,000 comparisons of two runs over the same cases; the candidate is better by `shift` where ratings allow it. */
function simulate(model: (typeof ratingModels)[number], cases: number, shift: number) {
  const random = createRandom(`${model.name}:${cases}:${shift}`);
  const counts = { significant: 0, regressed: 0, improved: 0, undecided: 0, no_evidence: 0 };
  for (let comparison = 0; comparison < 2_000; comparison += 1) {
    const differences = Array.from({ length: cases }, () => {
      const rate = model.drawCase(random);
      return rate(shift) - rate();
    });
    // Fewer flips than in use: the level of the test does not depend on how many there are.
    const compared = runAtOnce(comparePairs(differences, { seed: String(comparison), flips: 399 }));
    if (compared !== null && (compared.low > 0 || compared.high < 0)) counts.significant += 1;
    counts[decidePaired(compared, 0.5).outcome] += 1;
  }
  return counts;
}

describe.for([6, 10, 20, 100])("two runs of the same agent over %i cases", (cases) => {
  // 6.3 % is where the 99 % bound of 2,000 draws at 5 % lies.
  test.for(ratingModels)(
    "are called different in at most 6.3 % of comparisons: $name",
    { timeout: 60_000 },
    (model) => {
      const { significant, regressed, improved } = simulate(model, cases, 0);
      expect(significant / 2_000).toBeLessThanOrEqual(0.063);
      expect((regressed + improved) / 2_000).toBeLessThanOrEqual(0.063);
    },
  );
});

test("a run that is two points worse is called regressed with 20 cases nearly always", { timeout: 60_000 }, () => {
  const { regressed, improved } = simulate(ratingModels[0] as (typeof ratingModels)[number], 20, -2);
  expect(regressed / 2_000).toBeGreaterThan(0.85);
  expect(improved).toBe(0);
});
