import type { liveStatistics, run } from "@touchstone/contracts";
import type { z } from "zod";

export type LiveStatistics = z.infer<typeof liveStatistics>;
export type CaseStatistics = z.infer<typeof run>["caseStatistics"][number];

/** Some results that count alike. A histogram of a run is all that its statistics need. */
export interface ResultTally {
  isVariant: boolean;
  status: "scored" | "skipped" | "failed";
  /** Null exactly when skipped; 0 when failed. */
  rating: number | null;
  count: number;
}

/** What is counted of one result. */
export interface CountedResult extends Omit<ResultTally, "count"> {
  questionIndex: number | null;
}

/** Some results of one case that count alike. */
export interface CaseTally extends ResultTally {
  questionIndex: number | null;
}

/** All submitted results of any status, variants included (interface: Run, `resultCount`). */
export function countResults(tallies: readonly ResultTally[]): number {
  return tallies.reduce((count, tally) => count + tally.count, 0);
}

/**
 * interface: Run, `liveStatistics`; decisions: Rated population. Variants are left out. A failed result is rated (0)
 * and also counted in `failedCount`, so `ratedCount + skippedCount` is the number of results that are no variants.
 * The average is the plain mean, unrounded, and null when nothing is rated.
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
 * interface: Run, `caseStatistics`, by question index: cases with two or more rated results, variants left out. The
 * variance is the population's (completions 5.5).
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
 * The mean rating of each case that is rated, variants left out, by question index; a result that belongs to no case
 * is a case of its own.
 */
export function computeCaseRatings(results: readonly CountedResult[]): number[] {
  const ratings = new Map<number, number[]>();
  const single: number[] = [];
  for (const { questionIndex, isVariant, rating } of results) {
    if (isVariant || rating === null) continue;
    if (questionIndex === null) {
      single.push(rating);
      continue;
    }
    const repeated = ratings.get(questionIndex);
    if (repeated === undefined) ratings.set(questionIndex, [rating]);
    else repeated.push(rating);
  }
  const means = [...ratings]
    .sort(([one], [other]) => one - other)
    .map(([, repeated]) => repeated.reduce((sum, rating) => sum + rating, 0) / repeated.length);
  return [...means, ...single];
}

interface Weighted {
  value: number;
  count: number;
}

/** The ratings by value, ascending: sums depend neither on the order in which results came nor on how they were tallied. */
function rated(tallies: readonly ResultTally[]): Weighted[] {
  const counts = new Map<number, number>();
  for (const { rating, count } of tallies) {
    if (rating !== null) counts.set(rating, (counts.get(rating) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => one.value - other.value);
}

/** Kept between the least and the greatest value, which rounding could leave: the mean of 0.1, 0.1 and 0.1 is 0.1. */
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
