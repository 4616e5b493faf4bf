import { limits, type report } from "@touchstone/contracts";
import type { z } from "zod";
import type { OutlinedResult, ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";

type Report = z.input<typeof report>;

/** A result that is rated: what statistics need of it, and by which its texts are found. */
export type RatedResult = OutlinedResult & { rating: number };

/** A result as an analysis looks at it. */
export interface AnalyzedResult {
  questionIndex: number | null;
  query: string | null;
  response: string | null;
  rating: number;
  justification: string | null;
  isFailed: boolean;
}

/** The rated population: rated results that are no variants (completions 5.10), in the order of the run. */
export function selectRated<Result extends OutlinedResult>(results: readonly Result[]): (Result & RatedResult)[] {
  return results.filter((result): result is Result & RatedResult => !result.isVariant && result.rating !== null);
}

/** A rated result with its texts. Neither changes any more: only what is skipped is judged again. */
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

/** interface: Report, `statistics`: null when nothing is rated. The variance is the population's. */
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

/** One of them as the report shows it. */
export function showLowScoring(result: ReadResult): Report["lowScoringCases"][number] {
  const { query, response, rating, justification } = readAnalyzedResult(result);
  return { query, response, rating, justification };
}

const worstMax = 12;
const bestMax = 5;

/** What an analysis reads closely (completions 5.9): all when there are few, else the worst and the best, worst first. */
export function chooseSample(results: readonly RatedResult[]): RatedResult[] {
  const byRating = results.toSorted((one, other) => one.rating - other.rating);
  if (byRating.length <= worstMax + bestMax) return byRating;
  return [...byRating.slice(0, worstMax), ...byRating.slice(-bestMax)];
}
