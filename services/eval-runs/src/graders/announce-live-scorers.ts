import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "@touchstone/store-service";
import type { LockGraders } from "./lock-graders.ts";

const sweepEveryMs = 60_000;
const projectsAtOnce = 100;

/**
 * Announces to monitor the live scorers that were stored before announcements existed: once per project. Runs at the start, and
 * again while some are left.
 */
export function announceUntoldLiveScorers(options: {
  lockGraders: LockGraders;
  /** Connects as the maintenance role: it sees every project. */
  maintenance: Database;
  logger: Logger;
}): RegularSweep {
  const { lockGraders, maintenance, logger } = options;

  async function sweep(): Promise<number> {
    const { rows } = await maintenance.query<{ project_id: string }>({
      name: "live_scorers_untold",
      text: `
        select project_id
        from (
          select project_id from evals.grading_configs where online is not null
          union
          select project_id from evals.scorer_groups where online is not null
        ) as live
        where not exists (select from evals.live_scorers where live_scorers.project_id = live.project_id)
          and not exists (select from evals.deleted_projects where deleted_projects.project_id = live.project_id)
        limit $1`,
      values: [projectsAtOnce],
    });
    // Any change of graders announces them, even an empty one.
    for (const { project_id: projectId } of rows) await lockGraders(projectId, async () => {});
    return rows.length;
  }

  const sweeping = sweepRegularly({
    sweep,
    everyMs: sweepEveryMs,
    logger,
    failure: "sweeping runs failed unexpectedly",
  });
  sweep().catch((err) => logger.warn({ err }, "live scorers could not be told of yet; trying again"));
  return sweeping;
}
