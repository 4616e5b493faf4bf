import type { Database } from "@touchstone/db";
import type { ResultRow } from "../results/stored-result.ts";
import { computeLiveStatistics, type ResultTally } from "../runs/statistics.ts";
import type { GatedRun } from "./check-gate.ts";

/** What a gate needs of one stored result. */
export interface RatedRow {
  questionIndex: number | null;
  isVariant: boolean;
  status: ResultTally["status"];
  rating: number | null;
  /** What the additional judges said; null = none was asked. */
  judges: readonly { scorerId: string; rating: number | null }[] | null;
}

/**
 * Reads the rows of a run, in the order in which they are shown; what the additional judges said only with `withJudges`,
 * since it takes opening every row.
 */
export async function readRatedRows(
  database: Database,
  { projectId, runId, withJudges }: { projectId: string; runId: string; withJudges: boolean },
): Promise<RatedRow[]> {
  const { rows } = await database.readScoped<{
    question_index: string | null;
    is_variant: boolean;
    status: RatedRow["status"];
    rating: number | null;
    document: string | null;
  }>([projectId], {
    name: "gate_rated_rows",
    text: `
      select question_index, is_variant, status, rating, case when $3 then document::text end as document
      from evals.results
      where project_id = $1
        and run_id = $2
      order by question_index nulls last, run_number nulls last, is_variant, id`,
    values: [projectId, runId, withJudges],
  });
  return rows.map((row) => ({
    questionIndex: row.question_index === null ? null : Number(row.question_index),
    isVariant: row.is_variant,
    status: row.status,
    rating: row.rating,
    judges: row.document === null ? null : (JSON.parse(row.document) as ResultRow).judgeScorerResults,
  }));
}

/** The same rows as the scorer rated them; null = the run's own rating. A failed result is 0 for every scorer. */
export function rateBy(rows: readonly RatedRow[], scorerId: string | null): RatedRow[] {
  if (scorerId === null) return [...rows];
  return rows.map((row) => ({
    ...row,
    rating: row.status === "failed" ? 0 : (row.judges?.find((judge) => judge.scorerId === scorerId)?.rating ?? null),
  }));
}

/** Puts the ratings of a run together; variants are left out throughout (decisions: Rated population). */
export function summarizeRatings(runId: string, isInProgress: boolean, rows: readonly RatedRow[]): GatedRun {
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
