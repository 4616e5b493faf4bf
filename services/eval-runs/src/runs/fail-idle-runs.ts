import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "@touchstone/store-service";
import { closeIdleRuns, completeRun } from "./run-completion-store.ts";

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
    const idle = await closeIdleRuns(database, idleMs);
    for (const { projectId, id } of idle) {
      await database.transaction((transaction) => completeRun(transaction, projectId, id));
      logger.info({ projectId, runId: id }, "a run that received no more results was ended as failed");
    }
    return idle.length;
  }

  return sweepRegularly({ sweep, everyMs: sweepEveryMs, logger, failure: "sweeping runs failed unexpectedly" });
}
