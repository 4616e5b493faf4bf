import { limits, type report } from "@touchstone/contracts";
import type { z } from "zod";
import type { ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";

type Report = z.input<typeof report>;

/** A result as an analysis looks at it. */
export interface AnalyzedResult {
  questionIndex: number | null;
  query: string | null;
  response: string | null;
  rating: number;
  justification: string | null;
  isFailed: boolean;
}

/** The rated population: rated results that are no variants (decisions), in the order of the run. */
export function readAnalyzedResults(results: readonly ReadResult[]): AnalyzedResult[] {
  return results.flatMap((result) => {
    if (result.isVariant || result.rating === null) return [];
    const row = JSON.parse(result.rowText) as ResultRow;
    return [
      {
        questionIndex: result.questionIndex,
        query: row.questionText ?? row.input?.query ?? null,
        response: row.output?.text ?? null,
        rating: result.rating,
        justification: row.justification,
        isFailed: result.status === "failed",
      },
    ];
  });
}

/** interface: Report, `statistics`: null when nothing is rated. The variance is the population's. */
export function computeReportStatistics(results: readonly AnalyzedResult[]): Report["statistics"] {
  if (results.length === 0) return null;
  const ratings = results.map(({ rating }) => rating).sort((one, other) => one - other);
  const averageRating = ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length;
  const squares = ratings.reduce((sum, rating) => sum + (rating - averageRating) ** 2, 0);
  return {
    numberOfRuns: ratings.length,
    averageRating,
    minRating: ratings[0] as number,
    maxRating: ratings.at(-1) as number,
    ratingVariance: squares / ratings.length,
  };
}

/** interface: Report, `lowScoringCases`: rated 5 or below, worst first. */
export function findLowScoringCases(results: readonly AnalyzedResult[]): Report["lowScoringCases"] {
  return results
    .filter(({ rating }) => rating <= limits.lowScoringRatingMax)
    .toSorted((one, other) => one.rating - other.rating)
    .map(({ query, response, rating, justification }) => ({ query, response, rating, justification }));
}

const worstMax = 12;
const bestMax = 5;

/** What an analysis reads closely (completions 5.9): all when there are few, else the worst and the best, worst first. */
export function chooseSample(results: readonly AnalyzedResult[]): AnalyzedResult[] {
  const byRating = results.toSorted((one, other) => one.rating - other.rating);
  if (byRating.length <= worstMax + bestMax) return byRating;
  return [...byRating.slice(0, worstMax), ...byRating.slice(-bestMax)];
}
