import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "@touchstone/store-service";
import { completeRun } from "./run-completion-store.ts";

const sweepEveryMs = 5 * 60_000;

/** Ends idle runs as failed (completions 5.4): in progress, with no new result and none being judged for `idleMs`. */
export function sweepIdleRuns(options: {
  /** Connects as the maintenance role: it sees the runs of every project. */
  database: Database;
  idleMs: number;
  logger: Logger;
}): RegularSweep {
  const { database, idleMs, logger } = options;

  async function sweep(): Promise<number> {
    const { rows } = await database.query<{ project_id: string; id: string }>({
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
    for (const { project_id: projectId, id } of rows) {
      await database.transaction((transaction) => completeRun(transaction, projectId, id));
      logger.info({ projectId, runId: id }, "a run that received no more results was ended as failed");
    }
    return rows.length;
  }

  return sweepRegularly({ sweep, everyMs: sweepEveryMs, logger, failure: "sweeping runs failed unexpectedly" });
}
