import { metricNames } from "../judging/judge-request.ts";
import type { ResultRow } from "../results/stored-result.ts";
import type { Minimum } from "./ci-settings.ts";

/** Something in which a result falls short. */
export interface Miss {
  metric: string;
  threshold: number;
  /** Null when it could not be measured, which is never enough. */
  actual: number | null;
}

/** What a result is assessed by. */
export type AssessedRow = Pick<ResultRow, "rating" | "codeScorerResults" | (typeof metricNames)[number][0]>;

/** What a stored row is assessed by: whoever decides on a run holds this of every result. */
export function readAssessedRow(rowText: string): AssessedRow {
  const row = JSON.parse(rowText) as ResultRow;
  const metrics = metricNames.flatMap(([name]) => (row[name] === undefined ? [] : [[name, row[name]] as const]));
  return {
    rating: row.rating,
    ...Object.fromEntries(metrics),
    codeScorerResults:
      row.codeScorerResults?.map(({ name, score, error }) => ({
        name,
        score,
        ...(error !== undefined && { error: "" }),
      })) ?? null,
  };
}

/** completions 8.3: a deterministic scorer passes from here on. */
const scorerMin = 0.5;

/**
 * In what a result falls short (completions 8.3); it passes when there is nothing. Every minimum must be met, and what
 * was not measured meets none: a gate must not pass unjudged. A deterministic scorer that failed by itself says nothing
 * against the result, unless a minimum names it.
 */
export function findMisses(row: AssessedRow, minimums: readonly Minimum[]): Miss[] {
  const misses = minimums.flatMap(({ metric, min }): Miss[] => {
    const actual = lowestOf(measure(row, metric));
    return actual !== null && actual >= min ? [] : [{ metric, threshold: min, actual }];
  });
  for (const { name, score, error } of row.codeScorerResults ?? []) {
    if (error !== undefined || (score !== null && score >= scorerMin)) continue;
    const isKnown = misses.some((miss) => miss.metric === name && miss.threshold === scorerMin);
    if (!isKnown) misses.push({ metric: name, threshold: scorerMin, actual: score });
  }
  return misses;
}

/** Several scorers may have one name. */
function measure(row: AssessedRow, metric: string): (number | null)[] {
  if (metric === "rating") return [row.rating];
  const similarity = metricNames.find(([name]) => name === metric)?.[0];
  if (similarity !== undefined) return [row[similarity] ?? null];
  return (row.codeScorerResults ?? []).filter(({ name }) => name === metric).map(({ score }) => score);
}

function lowestOf(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  return measured.length === 0 || measured.length < values.length ? null : Math.min(...measured);
}
