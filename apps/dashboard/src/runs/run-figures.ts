import { type ResultRow, ratingBy } from "./case-rows.ts";

/** Bars of the histogram; each holds what is rated above its lower edge and up to its upper one, the first also 0. */
const histogramBars = 10;

/** The bar of a rating between 0 and 10. */
export function barOf(rating: number): number {
  return Math.min(histogramBars - 1, Math.max(0, Math.ceil(rating) - 1));
}

/** How many results fall into each bar, as a scorer rated them. Paraphrases are left out. */
export function countByRating(results: readonly ResultRow[], scorerId: string | null): number[] {
  const counts = Array.from({ length: histogramBars }, () => 0);
  for (const result of results) {
    const rating = result.isSmokeTestVariant ? null : ratingBy(result, scorerId);
    if (rating !== null) counts[barOf(rating)] = (counts[barOf(rating)] ?? 0) + 1;
  }
  return counts;
}

/** A figure of a run that no judge gave. */
export interface MetricFigure {
  name: string;
  /** Mean between 0 and 1; null when nothing was computed. */
  mean: number | null;
  /** How many results it was computed for. */
  count: number;
  /** How many reached 0.5, where it is a yes or a no; null of a similarity. */
  passed: number | null;
}

const similarities = [
  ["vectorSimilarity", "Vector similarity"],
  ["jaccardSimilarity", "Jaccard"],
  ["bleuScore", "BLEU"],
  ["rougeScore", "ROUGE-L"],
] as const;

/** The similarity metrics and code scorers of a run with their means over the results, in their order. Paraphrases are left out. */
export function metricFigures(results: readonly ResultRow[]): MetricFigure[] {
  const originals = results.filter(({ isSmokeTestVariant }) => !isSmokeTestVariant);
  const metrics = similarities.flatMap(([key, name]) => {
    const values = originals.map((result) => result[key]).filter((value) => value !== undefined);
    return values.length === 0 ? [] : [{ ...summarize(name, values), passed: null }];
  });
  const scores = Map.groupBy(
    originals.flatMap(({ codeScorerResults }) => codeScorerResults ?? []),
    ({ name }) => name,
  );
  const code = [...scores].map(([name, each]) => {
    const values = each.map(({ score }) => score);
    return { ...summarize(name, values), passed: values.filter((score) => score !== null && score >= 0.5).length };
  });
  return [...metrics, ...code];
}

function summarize(name: string, values: readonly (number | null)[]) {
  const known = values.filter((value) => value !== null);
  const mean = known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  return { name, mean, count: known.length };
}
