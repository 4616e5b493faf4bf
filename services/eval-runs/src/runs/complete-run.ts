import type { Queryable } from "@touchstone/db";

/**
 * Ends a run that is being finalized: what is still claimed is stored as the claim says, and the run gets the status
 * that was asked for. In one transaction under the run's lock, so no result lands in a terminal run and a second caller
 * finds nothing left to do.
 */
export async function completeRun(transaction: Queryable, projectId: string, runId: string): Promise<void> {
  const { rowCount } = await transaction.query({
    name: "run_lock_closing",
    text: `
      select id
      from evals.runs
      where project_id = $1
        and id = $2
        and status = 'in_progress'
        and closing_as is not null
      for no key update`,
    values: [projectId, runId],
  });
  if (rowCount === 0) return;
  await transaction.query({
    name: "claims_store_unfinished",
    text: `
      with unfinished as (
        delete from evals.claims
        where project_id = $1
          and run_id = $2
        returning *
      )
      insert into evals.results (
        project_id, run_id, key_digest, id, idempotency_key, case_id, question_index, run_number, is_variant,
        status, skip_reason, rating, document
      )
      select
        project_id, run_id, key_digest, id, idempotency_key, case_id, question_index, run_number, is_variant,
        status, skip_reason, rating, document
      from unfinished
      on conflict (project_id, run_id, key_digest) do nothing`,
    values: [projectId, runId],
  });
  await transaction.query({
    name: "run_complete",
    text: `
      update evals.runs
      set status = closing_as,
          finished_at = now()
      where project_id = $1
        and id = $2`,
    values: [projectId, runId],
  });
}
