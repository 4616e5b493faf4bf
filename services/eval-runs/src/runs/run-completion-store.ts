import type { Database, Queryable } from "@touchstone/db";
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

/** A run of any project. */
interface RunOfProject {
  projectId: string;
  id: string;
}

type RunRecord = { project_id: string; id: string };

const readRun = ({ project_id: projectId, id }: RunRecord): RunOfProject => ({ projectId, id });

/** Runs that are closed to batches for so long that no finalize is at work on them. `maintenance` sees every project. */
export async function listAbandonedClosings(maintenance: Database, closedForMs: number): Promise<RunOfProject[]> {
  const { rows } = await maintenance.query<RunRecord>({
    name: "runs_closing_abandoned",
    text: `
      select project_id, id
      from evals.runs
      where status = 'in_progress'
        and closing_as is not null
        and closing_since < now() - $1 * interval '1 millisecond'
      order by closing_since
      limit 100`,
    values: [closedForMs],
  });
  return rows.map(readRun);
}

/** Closes runs in progress, as failed, that have had no new result and none being judged for `idleMs`; returns them. */
export async function closeIdleRuns(maintenance: Database, idleMs: number): Promise<RunOfProject[]> {
  const { rows } = await maintenance.query<RunRecord>({
    name: "runs_close_idle",
    text: `
      update evals.runs
      set closing_as = 'failed',
          closing_since = now()
      where (project_id, id) in (
        select project_id, id
        from evals.runs as open_runs
        where status = 'in_progress'
          and closing_as is null
          and created_at < now() - $1 * interval '1 millisecond'
          and not exists (
            select from evals.claims
            where claims.project_id = open_runs.project_id
              and claims.run_id = open_runs.id
              and claims.lease_until >= clock_timestamp()
          )
          and not exists (
            select from evals.results
            where results.project_id = open_runs.project_id
              and results.run_id = open_runs.id
              and results.created_at >= now() - $1 * interval '1 millisecond'
          )
        order by created_at
        limit 100
        for update skip locked
      )
      returning project_id, id`,
    values: [idleMs],
  });
  return rows.map(readRun);
}
