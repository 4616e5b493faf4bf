import type { Database } from "@touchstone/db";
import type { RatingNews } from "../results/rating-news-store.ts";
import { resultColumns, resultValues, selectSentResults } from "../results/result-row-store.ts";
import type { StoredResult } from "../results/stored-result.ts";
import { type NewRun, refuseGoneDataset } from "../runs/new-run-store.ts";

type FinishedRun = Pick<
  NewRun,
  | "id"
  | "datasetId"
  | "datasetVersion"
  | "evaluationSettingsId"
  | "plan"
  | "evaluationSubject"
  | "runSource"
  | "createdAt"
>;

/**
 * Stores a completed run with its one judged result in one transaction. A retry after a lost response changes nothing.
 */
export async function storeFinishedRun(
  database: Database,
  projectId: string,
  run: FinishedRun,
  result: StoredResult,
  ratingNews: RatingNews,
): Promise<void> {
  await database.scoped([projectId], async (transaction) => {
    const insertRun = () =>
      transaction.query({
        name: "run_insert_finished",
        text: `
          insert into evals.runs (
            project_id, id, dataset_id, dataset_version, evaluation_settings_id, plan, evaluation_subject, run_source,
            created_at, status, closing_as, finished_at
          )
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'completed', 'completed', now())
          on conflict (project_id, id) do nothing`,
        values: [
          projectId,
          run.id,
          run.datasetId,
          run.datasetVersion,
          run.evaluationSettingsId,
          run.plan,
          run.evaluationSubject,
          run.runSource,
          run.createdAt,
        ],
      });
    await refuseGoneDataset(insertRun, "Dataset or evaluator config not found");
    const { rowCount } = await transaction.query({
      name: "results_insert_finished",
      text: `
        insert into evals.results (project_id, run_id, ${resultColumns})
        select $1, $2, sent.*
        from (${selectSentResults(3)}
        ) sent
        on conflict (project_id, run_id, key_digest) do nothing`,
      values: [projectId, run.id, ...resultValues([result])],
    });
    if (rowCount === 1) await ratingNews.write(transaction, { projectId, runId: run.id }, [result]);
  });
}
