import type { Database } from "@touchstone/db";
import { isJudgedRun } from "../runs/run-filter-reader.ts";
import { readVersionLabel, type VersionedRun } from "./compare-versions.ts";

const runsMax = 1_000;

/** The newest completed runs of a dataset, newest first, without trace evaluations and unrated external runs. */
export async function readVersionedRuns(
  database: Database,
  projectId: string,
  datasetId: string,
): Promise<VersionedRun[]> {
  const { rows } = await database.readScoped<{
    id: string;
    created_at: Date;
    evaluation_subject: string | null;
    rated_count: number;
    rating_sum: number | null;
  }>([projectId], {
    name: "runs_versioned",
    text: `
      select runs.id, runs.created_at, runs.evaluation_subject::text, rated.rated_count, rated.rating_sum
      from (
        select id, created_at, evaluation_subject
        from evals.runs
        where project_id = $1
          and dataset_id = $2
          and status = 'completed'
          and ${isJudgedRun}
        order by created_at desc, id desc
        limit ${runsMax}
      ) runs
      cross join lateral (
        select count(*)::integer as rated_count, sum(rating) as rating_sum
        from evals.results
        where results.project_id = $1
          and results.run_id = runs.id
          and results.rating is not null
          and not results.is_variant
      ) rated
      order by runs.created_at desc, runs.id desc`,
    values: [projectId, datasetId],
  });
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    version: readVersionLabel(row.evaluation_subject),
    ratedCount: row.rated_count,
    ratingSum: row.rating_sum ?? 0,
  }));
}
