import { limits, type report } from "@touchstone/contracts";
import type { z } from "zod";
import type { OutlinedResult, ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";

type Report = z.input<typeof report>;

/** A rated result: the values that statistics need, and the keys of its texts. */
export type RatedResult = OutlinedResult & { rating: number };

/** A result as an analysis reads it. */
export interface AnalyzedResult {
  questionIndex: number | null;
  query: string | null;
  response: string | null;
  rating: number;
  justification: string | null;
  isFailed: boolean;
}

/** The rated population: rated results without variants (completions 5.10), in the order of the run. */
export function selectRated<Result extends OutlinedResult>(results: readonly Result[]): (Result & RatedResult)[] {
  return results.filter((result): result is Result & RatedResult => !result.isVariant && result.rating !== null);
}

/** A rated result with its texts. Neither changes later: only skipped results are judged again. */
export function readAnalyzedResult({ questionIndex, rating, status, rowText }: ReadResult): AnalyzedResult {
  const row = JSON.parse(rowText) as ResultRow;
  return {
    questionIndex,
    query: row.questionText ?? row.input?.query ?? null,
    response: row.output?.text ?? null,
    rating: rating as number,
    justification: row.justification,
    isFailed: status === "failed",
  };
}

/** interface: Report, `statistics`: null when nothing is rated. Population variance. */
export function computeReportStatistics(results: readonly { rating: number }[]): Report["statistics"] {
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
export function findLowScoring(results: readonly RatedResult[]): RatedResult[] {
  return results
    .filter(({ rating }) => rating <= limits.lowScoringRatingMax)
    .toSorted((one, other) => one.rating - other.rating);
}

/** A low-scoring case as the report shows it. */
export function showLowScoring(result: ReadResult): Report["lowScoringCases"][number] {
  const { query, response, rating, justification } = readAnalyzedResult(result);
  return { query, response, rating, justification };
}

const worstMax = 12;
const bestMax = 5;

/**
 * The sample that an analysis reads closely (completions 5.9): all results if there are few, else the worst and the best, worst
 * first.
 */
export function chooseSample(results: readonly RatedResult[]): RatedResult[] {
  const byRating = results.toSorted((one, other) => one.rating - other.rating);
  if (byRating.length <= worstMax + bestMax) return byRating;
  return [...byRating.slice(0, worstMax), ...byRating.slice(-bestMax)];
}
