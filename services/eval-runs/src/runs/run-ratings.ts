import { type GradingPlan, rowGradersOf } from "../grading/plan.ts";
import type { OutlinedResult, ResultStore } from "../results/result-store.ts";
import { type CountedResult, computeLiveStatistics } from "../statistics/result-tally.ts";
import { readJudgeRatings } from "./run-counter.ts";

/** The ratings of one run, by one scorer. */
export interface RunRatings {
  runId: string;
  /** Unrounded; null = nothing rated. */
  averageRating: number | null;
  /** The mean rating of each rated case, by question index. */
  caseRatings: ReadonlyMap<number, number>;
  isInProgress: boolean;
}

/** A scorer, and whether the run has it. */
export interface RunScorer {
  id: string;
  isOfRun: boolean;
}

/** Null stays null: the run's own rating. */
export function scorerOf(plan: GradingPlan, scorerId: string | null): RunScorer | null {
  if (scorerId === null) return null;
  return { id: scorerId, isOfRun: rowGradersOf(plan).some(({ id }) => id === scorerId) };
}

/**
 * Reads the values of a run's results that a gate needs, in display order, as rated by the scorer; null = the run's own rating.
 * A failed result is 0 for every scorer of the run. A scorer's ratings are in the rows, which are read page by page.
 */
export async function readRatings(
  results: ResultStore,
  { projectId, runId, scorer }: { projectId: string; runId: string; scorer: RunScorer | null },
): Promise<OutlinedResult[]> {
  if (scorer === null) return results.outline(projectId, runId);
  const ratingOfFailed = scorer.isOfRun ? 0 : null;
  const rated: OutlinedResult[] = [];
  for await (const page of results.pages(projectId, runId)) {
    for (const { id, questionIndex, isVariant, status, rowText } of page) {
      const rating = status === "failed" ? ratingOfFailed : (readJudgeRatings(rowText).get(scorer.id) ?? null);
      rated.push({ id, questionIndex, isVariant, status, rating });
    }
  }
  return rated;
}

/** Combines the ratings of a run; variants are always left out (completions 5.10). */
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
