import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "@touchstone/store-service";
import { listUnannouncedProjects } from "./live-scorer-store.ts";
import type { LockGraders } from "./lock-graders.ts";

const sweepEveryMs = 60_000;

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
    const projectIds = await listUnannouncedProjects(maintenance);
    // Any change of graders announces them, even an empty one.
    for (const projectId of projectIds) await lockGraders(projectId, async () => {});
    return projectIds.length;
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
