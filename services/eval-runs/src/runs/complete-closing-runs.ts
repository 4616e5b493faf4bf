import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "@touchstone/store-service";
import { completeRun, listAbandonedClosings } from "./run-completion-store.ts";

const sweepEveryMs = 30_000;

/**
 * Completes runs whose finalize was interrupted: closed to batches for longer than any finalize waits, and still in progress.
 * Otherwise such a run would refuse results and never end unless its client finalized again. Several replicas may sweep at
 * once: completing is idempotent.
 */
export function sweepClosingRuns(options: {
  /** Connects as the maintenance role: it sees the runs of every project. */
  database: Database;
  /** The longest time a finalize waits; a run closed for twice that long has no finalize. */
  batchMs: number;
  logger: Logger;
}): RegularSweep {
  const { database, batchMs, logger } = options;

  async function sweep(): Promise<number> {
    const abandoned = await listAbandonedClosings(database, 2 * batchMs);
    for (const { projectId, id } of abandoned) {
      await database.transaction((transaction) => completeRun(transaction, projectId, id));
      logger.warn({ projectId, runId: id }, "a run whose finalize had stopped half-way was completed");
    }
    return abandoned.length;
  }

  return sweepRegularly({ sweep, everyMs: sweepEveryMs, logger, failure: "sweeping runs failed unexpectedly" });
}
