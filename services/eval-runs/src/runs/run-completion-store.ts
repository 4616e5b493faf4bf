import type { Queryable } from "@touchstone/db";
import { resultColumns } from "../results/result-row-store.ts";

/**
 * Ends a run that is being finalized: sets the requested status, and stores the remaining claims as unjudged results. Both in
 * one transaction under the run's lock, so no claim outlives its run, no result lands in a terminal one, and a second caller
 * finds nothing to do.
 */
export async function completeRun(transaction: Queryable, projectId: string, runId: string): Promise<void> {
  const { rowCount } = await transaction.query({
    name: "run_complete",
    text: `
      update evals.runs
      set status = closing_as,
          finished_at = now()
      where project_id = $1
        and id = $2
        and status = 'in_progress'
        and closing_as is not null`,
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
        returning ${resultColumns}
      )
      insert into evals.results (project_id, run_id, ${resultColumns})
      select $1, $2, unfinished.*
      from unfinished
      on conflict (project_id, run_id, key_digest) do nothing`,
    values: [projectId, runId],
  });
}
