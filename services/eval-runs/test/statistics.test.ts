import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CaseTally,
  type CountedResult,
  computeCaseRatings,
  computeCaseStatistics,
  computeLiveStatistics,
  countResults,
} from "../src/statistics/result-tally.ts";

const scored = (rating: number, more: Partial<CountedResult> = {}): CountedResult => ({
  questionIndex: 0,
  isVariant: false,
  status: "scored",
  rating,
  ...more,
});
const failed = (more: Partial<CountedResult> = {}) => scored(0, { status: "failed", ...more });
const skipped = (more: Partial<CountedResult> = {}): CountedResult => ({
  questionIndex: 0,
  isVariant: false,
  status: "skipped",
  rating: null,
  ...more,
});
const tally = (results: readonly CountedResult[]): CaseTally[] => results.map((result) => ({ ...result, count: 1 }));

const anyRating = fc.oneof(
  fc.integer({ min: 0, max: 10 }),
  fc.double({ min: 0, max: 10, noNaN: true }),
  fc.constantFrom(0.1, 7.3, 9.9),
);
const anyResult: fc.Arbitrary<CountedResult> = fc
  .tuple(fc.option(fc.nat(4)), fc.boolean(), fc.constantFrom("scored", "skipped", "failed"), anyRating)
  .map(([questionIndex, isVariant, status, rating]) => ({
    questionIndex,
    isVariant,
    status: status as CountedResult["status"],
    rating: status === "skipped" ? null : status === "failed" ? 0 : rating,
  }));

describe("live statistics", () => {
  test("of nothing are zeros and nulls", () => {
    expect(computeLiveStatistics([])).toEqual({
      averageRating: null,
      minRating: null,
      maxRating: null,
      ratedCount: 0,
      skippedCount: 0,
      failedCount: 0,
    });
  });

  test("count a failed result as rated 0, and leave skipped ones out of the average", {
    tags: ["spec:run.liveStatistics"],
  }, () => {
    expect(computeLiveStatistics(tally([scored(9), scored(6), failed(), skipped()]))).toEqual({
      averageRating: 5,
      minRating: 0,
      maxRating: 9,
      ratedCount: 3,
      skippedCount: 1,
      failedCount: 1,
    });
  });

  test("leave variants out of everything but the number of results", {
    tags: ["spec:run.results.isSmokeTestVariant", "spec:run.resultCount"],
  }, () => {
    const results = tally([scored(8), scored(2, { isVariant: true }), skipped({ isVariant: true })]);

    expect(computeLiveStatistics(results)).toMatchObject({ averageRating: 8, ratedCount: 1, skippedCount: 0 });
    expect(countResults(results)).toBe(3);
  });

  test("rated and skipped results together are all that are no variants", () => {
    fc.assert(
      fc.property(fc.array(anyResult), (results) => {
        const { ratedCount, skippedCount, failedCount } = computeLiveStatistics(tally(results));
        expect(ratedCount + skippedCount).toBe(results.filter((result) => !result.isVariant).length);
        expect(failedCount).toBeLessThanOrEqual(ratedCount);
      }),
    );
  });

  test("the average lies between the least and the greatest rating, and is null exactly when nothing is rated", () => {
    fc.assert(
      fc.property(fc.array(anyResult), (results) => {
        const { averageRating, minRating, maxRating, ratedCount } = computeLiveStatistics(tally(results));
        expect(averageRating === null).toBe(ratedCount === 0);
        if (averageRating === null) return;
        expect(averageRating).toBeGreaterThanOrEqual(minRating as number);
        expect(averageRating).toBeLessThanOrEqual(maxRating as number);
      }),
    );
  });

  test("neither the order of results nor how they are tallied changes a single bit", () => {
    const orders = fc
      .array(anyResult)
      .chain((results) => fc.tuple(fc.constant(results), fc.shuffledSubarray(results, { minLength: results.length })));
    fc.assert(
      fc.property(orders, ([results, shuffled]) => {
        const grouped = [
          ...Map.groupBy(shuffled, (result) => JSON.stringify({ ...result, questionIndex: 0 })).values(),
        ];
        const histogram = grouped.map((group) => ({ ...(group[0] as CountedResult), count: group.length }));
        expect(computeLiveStatistics(histogram)).toEqual(computeLiveStatistics(tally(results)));
        const byCase = [...Map.groupBy(shuffled, (result) => JSON.stringify(result)).values()];
        const caseTallies = byCase.map((group) => ({ ...(group[0] as CountedResult), count: group.length }));
        expect(computeCaseStatistics(caseTallies)).toEqual(computeCaseStatistics(tally(results)));
      }),
    );
  });
});

describe("case statistics", () => {
  test("have the population's variance, and only cases with two rated results", {
    tags: ["spec:run.caseStatistics"],
  }, () => {
    const results = [
      scored(9, { questionIndex: 2 }),
      scored(4),
      scored(8),
      failed(),
      scored(7, { questionIndex: 1 }),
      skipped({ questionIndex: 1 }),
      scored(1, { questionIndex: 1, isVariant: true }),
      scored(9, { questionIndex: 2 }),
      scored(5, { questionIndex: null }),
      scored(6, { questionIndex: null }),
    ];

    expect(computeCaseStatistics(tally(results))).toEqual([
      { questionIndex: 0, ratedCount: 3, averageRating: 4, minRating: 0, maxRating: 8, ratingVariance: 32 / 3 },
      { questionIndex: 2, ratedCount: 2, averageRating: 9, minRating: 9, maxRating: 9, ratingVariance: 0 },
    ]);
  });

  test("are those of the case alone: equal to the live statistics of its results", () => {
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 40 }), (results) => {
        for (const { questionIndex, ratingVariance, ...rest } of computeCaseStatistics(tally(results))) {
          const own = results.filter((result) => result.questionIndex === questionIndex);
          expect(computeLiveStatistics(tally(own))).toMatchObject(rest);
          expect(ratingVariance).toBeGreaterThanOrEqual(0);
          expect(ratingVariance).toBeLessThanOrEqual(25.000001);
        }
      }),
    );
  });
});

test("a case counts once for the interval of a run's rating, with the mean of its repetitions", () => {
  const result = (questionIndex: number | null, rating: number | null, isVariant = false) => ({
    questionIndex,
    rating,
    isVariant,
    status: rating === null ? ("skipped" as const) : ("scored" as const),
    count: 1,
  });
  const results = [result(1, 4), result(0, 9), result(1, 8), result(0, 1, true), result(2, null), result(null, 3)];
  expect(computeCaseRatings(results)).toEqual([6, 9, 3]);
});
