import type { OutlinedResult, ResultStore } from "../results/result-store.ts";
import { type CountedResult, computeLiveStatistics } from "../statistics/result-tally.ts";
import { readJudgeRatings } from "./run-counter.ts";

/** The ratings of one run, by one scorer. */
export interface RunRatings {
  runId: string;
  /** Unrounded; null = nothing rated. */
  averageRating: number | null;
  /** The mean rating of each case that is rated, by question index. */
  caseRatings: ReadonlyMap<number, number>;
  isInProgress: boolean;
}

/**
 * Reads what a gate needs of each result of a run, in the order in which they are shown, as the scorer rated it; null =
 * the run's own rating. A failed result is 0 for every scorer. What a scorer said stands in the rows, which are opened
 * page by page.
 */
export async function readRatings(
  results: ResultStore,
  { projectId, runId, scorerId }: { projectId: string; runId: string; scorerId: string | null },
): Promise<OutlinedResult[]> {
  if (scorerId === null) return results.outline(projectId, runId);
  const rated: OutlinedResult[] = [];
  for await (const page of results.pages(projectId, runId)) {
    for (const { id, questionIndex, isVariant, status, rowText } of page) {
      const rating = status === "failed" ? 0 : (readJudgeRatings(rowText).get(scorerId) ?? null);
      rated.push({ id, questionIndex, isVariant, status, rating });
    }
  }
  return rated;
}

/** Puts the ratings of a run together; variants are left out throughout (completions 5.10). */
export function summarizeRatings(runId: string, isInProgress: boolean, rows: readonly CountedResult[]): RunRatings {
  const { averageRating } = computeLiveStatistics(rows.map((row) => ({ ...row, count: 1 })));
  const cases = Map.groupBy(
    rows.filter((row) => !row.isVariant && row.rating !== null && row.questionIndex !== null),
    (row) => row.questionIndex as number,
  );
  const caseRatings = new Map<number, number>();
  for (const [index, repetitions] of cases) {
    caseRatings.set(index, repetitions.reduce((sum, row) => sum + (row.rating as number), 0) / repetitions.length);
  }
  return { runId, averageRating, caseRatings, isInProgress };
}
