import { limits, type liveStatistics, type run } from "@touchstone/contracts";
import type { z } from "zod";

export type LiveStatistics = z.infer<typeof liveStatistics>;
export type CaseStatistics = z.infer<typeof run>["caseStatistics"][number];

/** A number of results that count alike. A histogram of a run suffices for all its statistics. */
export interface ResultTally {
  isVariant: boolean;
  status: "scored" | "skipped" | "failed";
  /** Null exactly when skipped; 0 when failed. */
  rating: number | null;
  count: number;
}

/** The counted values of one result. */
export interface CountedResult extends Omit<ResultTally, "count"> {
  questionIndex: number | null;
}

/** A number of results of one case that count alike. */
export interface CaseTally extends ResultTally {
  questionIndex: number | null;
}

/** All submitted results of any status, variants included (interface: Run, `resultCount`). */
export function countResults(tallies: readonly ResultTally[]): number {
  return tallies.reduce((count, tally) => count + tally.count, 0);
}

/**
 * interface: Run, `liveStatistics`; completions 5.10. Variants are left out. A failed result is rated (0) and also counted in
 * `failedCount`, so `ratedCount + skippedCount` is the number of results without variants. The average is the plain mean,
 * unrounded, and null when nothing is rated.
 */
export function computeLiveStatistics(tallies: readonly ResultTally[]): LiveStatistics {
  const originals = tallies.filter((tally) => !tally.isVariant);
  const ratings = rated(originals);
  const total = (counted: readonly ResultTally[]) => counted.reduce((count, tally) => count + tally.count, 0);
  return {
    averageRating: mean(ratings),
    minRating: ratings.at(0)?.value ?? null,
    maxRating: ratings.at(-1)?.value ?? null,
    ratedCount: total(originals.filter((tally) => tally.rating !== null)),
    skippedCount: total(originals.filter((tally) => tally.rating === null)),
    failedCount: total(originals.filter((tally) => tally.status === "failed")),
  };
}

/**
 * interface: Run, `ratingHistogram`: each bar counts ratings above its lower edge and up to its upper one; the first includes
 * 0.
 */
export function computeRatingHistogram(tallies: readonly ResultTally[]): number[] {
  const bars = Array.from({ length: limits.ratingBars }, () => 0);
  for (const { isVariant, rating, count } of tallies) {
    if (isVariant || rating === null) continue;
    const bar = Math.max(0, Math.ceil((rating * limits.ratingBars) / limits.ratingMax) - 1);
    bars[bar] = (bars[bar] as number) + count;
  }
  return bars;
}

/**
 * interface: Run, `caseStatistics`, by question index: cases with two or more rated results, variants left out. Population
 * variance (completions 5.5).
 */
export function computeCaseStatistics(results: readonly CaseTally[]): CaseStatistics[] {
  const cases = Map.groupBy(
    results.filter((result) => !result.isVariant && result.rating !== null && result.questionIndex !== null),
    (result) => result.questionIndex as number,
  );
  return [...cases]
    .filter(([, ratedResults]) => countResults(ratedResults) >= 2)
    .sort(([one], [other]) => one - other)
    .map(([questionIndex, ratedResults]) => {
      const ratings = rated(ratedResults);
      const averageRating = mean(ratings) as number;
      return {
        questionIndex,
        ratedCount: countResults(ratedResults),
        averageRating,
        minRating: ratings[0]?.value as number,
        maxRating: ratings.at(-1)?.value as number,
        ratingVariance: mean(
          ratings.map(({ value, count }) => ({ value: (value - averageRating) ** 2, count })),
        ) as number,
      };
    });
}

/**
 * The mean rating of each rated case, variants left out, in no particular order; a result without a case is a separate case.
 * Independent of the order of results and of their tallying.
 */
export function computeCaseRatings(results: readonly CaseTally[]): number[] {
  const originals = results.filter(({ isVariant, rating }) => !isVariant && rating !== null);
  const cases = Map.groupBy(originals, ({ questionIndex }) => questionIndex);
  const alone = cases.get(null) ?? [];
  cases.delete(null);
  const means = [...cases.values()].map((repeated) => mean(rated(repeated)) as number);
  return [...means, ...alone.flatMap(({ rating, count }) => Array<number>(count).fill(rating as number))];
}

interface Weighted {
  value: number;
  count: number;
}

/** The ratings by value, ascending: sums depend neither on the order of results nor on their tallying. */
function rated(tallies: readonly ResultTally[]): Weighted[] {
  const counts = new Map<number, number>();
  for (const { rating, count } of tallies) {
    if (rating !== null) counts.set(rating, (counts.get(rating) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => one.value - other.value);
}

/** Clamped to the least and the greatest value, which rounding could exceed: the mean of 0.1, 0.1 and 0.1 is 0.1. */
function mean(values: readonly Weighted[]): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  let total = 0;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const { value, count } of values) {
    sum += value * count;
    total += count;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return Math.min(greatest, Math.max(least, sum / total));
}
