import { metricNames } from "../judging/judge-request.ts";
import type { ResultRow } from "../results/stored-result.ts";
import type { Minimum } from "./ci-settings.ts";

/** A metric in which a result fails. */
export interface Miss {
  metric: string;
  threshold: number;
  /** Null when it could not be measured, which always fails. */
  actual: number | null;
}

/** The members of a result row that decide whether it passes. */
export type AssessedRow = Pick<ResultRow, "rating" | "codeScorerResults" | (typeof metricNames)[number][0]>;

/**
 * The members of a stored row that decide whether it passes. Deciding on a run keeps these of every result in memory.
 */
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

/** completions 8.3: the least score with which a deterministic scorer passes. */
const scorerMin = 0.5;

/**
 * The metrics in which a result fails (completions 8.3); it passes if there are none. Every minimum must be met, and unmeasured
 * values meet none: a gate must not pass unjudged. A deterministic scorer that itself failed does not count against the result,
 * unless a minimum names it.
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

/** Several scorers may share a name. */
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
