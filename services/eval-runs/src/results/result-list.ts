import type { resultList } from "@touchstone/contracts";
import type { z } from "zod";
import type { OutlinedResult } from "./result-store.ts";

export const resultOrders = ["case", "rating", "-rating", "spread", "delta"] as const;
export type ResultOrder = (typeof resultOrders)[number];

/** Filters of results; null = all. A range includes its upper bound and excludes its lower one. */
export interface ResultFilter {
  status: OutlinedResult["status"] | null;
  questionIndex: number | null;
  resultId: string | null;
  ratingAbove: number | null;
  ratingMax: number | null;
}

type OfCase = z.input<typeof resultList>["results"][number]["ofCase"];

/** A result with the values of its case, both as one scorer rated them. */
export interface ListedResult {
  result: OutlinedResult;
  ofCase: OfCase;
}

/**
 * Sorts and filters a run's results for a list. `outline` is in the order of the run, rated by the scorer that counts;
 * `baseline` has the mean rating of each case of another run. The results of a case stay together, in the order of the run; a
 * result without a case is a separate case. Missing values sort last.
 */
export function listResults(
  outline: readonly OutlinedResult[],
  { filter, order, baseline }: { filter: ResultFilter; order: ResultOrder; baseline: ReadonlyMap<number, number> },
): ListedResult[] {
  const cases = [...groupByCase(outline)].map((results) => ({ results, ofCase: describeCase(results, baseline) }));
  const sorted =
    order === "case"
      ? cases
      : cases
          .map((each) => ({ each, value: sortValues[order](each.ofCase) ?? Number.POSITIVE_INFINITY }))
          .sort((one, other) => (one.value === other.value ? 0 : one.value - other.value))
          .map(({ each }) => each);
  return sorted.flatMap(({ results, ofCase }) =>
    results.filter((result) => isWanted(result, filter)).map((result) => ({ result, ofCase })),
  );
}

/** The number of cases of the listed results. */
export function countCases(listed: readonly ListedResult[]): number {
  return new Set(listed.map(({ ofCase }) => ofCase)).size;
}

const sortValues: Record<Exclude<ResultOrder, "case">, (ofCase: OfCase) => number | null> = {
  rating: ({ rating }) => rating,
  "-rating": ({ rating }) => (rating === null ? null : -rating),
  spread: ({ minRating, maxRating }) => (minRating === null || maxRating === null ? null : minRating - maxRating),
  delta: ({ delta }) => delta,
};

function groupByCase(outline: readonly OutlinedResult[]): Iterable<OutlinedResult[]> {
  return Map.groupBy(outline, ({ questionIndex, id }) => questionIndex ?? id).values();
}

function describeCase(results: readonly OutlinedResult[], baseline: ReadonlyMap<number, number>): OfCase {
  const originals = results.filter(({ isVariant }) => !isVariant);
  const ratings = originals.flatMap(({ rating }) => (rating === null ? [] : [rating]));
  const questionIndex = results[0]?.questionIndex ?? null;
  const rating = ratings.length === 0 ? null : ratings.reduce((sum, each) => sum + each, 0) / ratings.length;
  const baselineRating = questionIndex === null ? null : (baseline.get(questionIndex) ?? null);
  return {
    rating,
    minRating: ratings.length === 0 ? null : Math.min(...ratings),
    maxRating: ratings.length === 0 ? null : Math.max(...ratings),
    results: originals.length,
    baselineRating,
    delta: rating === null || baselineRating === null ? null : rating - baselineRating,
  };
}

function isWanted({ id, status, questionIndex, rating }: OutlinedResult, filter: ResultFilter): boolean {
  if (filter.resultId !== null && id !== filter.resultId) return false;
  if (filter.status !== null && status !== filter.status) return false;
  if (filter.questionIndex !== null && questionIndex !== filter.questionIndex) return false;
  if (filter.ratingAbove !== null && (rating === null || rating <= filter.ratingAbove)) return false;
  return filter.ratingMax === null || (rating !== null && rating <= filter.ratingMax);
}
