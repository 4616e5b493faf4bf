import type { Database } from "@touchstone/db";
import type { ResultTally } from "../statistics/result-tally.ts";

/** With a question index: of the rated results of a case with more than one rating. Without: of all results. */
export interface TallyRecord extends Omit<ResultTally, "isVariant"> {
  run_id: string;
  is_variant: boolean;
  skip_reason: string | null;
  question_index: string | null;
}

/**
 * Counts the results of runs. One statement: two could see different results, and the ratings of repeated cases are subtracted
 * from the others.
 */
export async function readTallies(
  database: Database,
  projectId: string,
  runIds: readonly string[],
): Promise<TallyRecord[]> {
  const { rows } = await database.readScoped<TallyRecord>([projectId], {
    name: "results_tally_runs",
    text: `
      select run_id, is_variant, status, rating, skip_reason, count(*)::integer as count, null as question_index
      from evals.results
      where project_id = $1
        and run_id = any ($2::uuid[])
      group by run_id, is_variant, status, rating, skip_reason
      union all
      -- Failed results are rated too, and count the same here. Other cases have no statistics.
      select run_id, false, 'scored', rating, null, count, question_index
      from (
        select
          run_id, question_index, rating, count(*)::integer as count,
          sum(count(*)) over (partition by run_id, question_index) as rated
        from evals.results
        where project_id = $1
          and run_id = any ($2::uuid[])
          and not is_variant
          and rating is not null
          and question_index is not null
        group by run_id, question_index, rating
      ) cases
      where rated > 1`,
    values: [projectId, runIds],
  });
  return rows;
}
