import type { Database } from "@touchstone/db";
import { isAppError, type Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "@touchstone/store-service";
import { listExpiredCiRuns } from "./ci-run-store.ts";
import { type CiFinalizingDependencies, endCiRunIfIdle } from "./finalize-ci-run.ts";

const sweepEveryMs = 30_000;

/**
 * Ends CI runs that were not finalized in time (completions 8.4): their evaluation runs end as failed, and their failing
 * verdicts are stored and kept in the gate history. A run that is being finalized, or whose finalize was interrupted, gets its
 * regular verdict. Runs whose results are still being judged are left to the next sweep.
 */
export function sweepExpiredCiRuns(
  options: CiFinalizingDependencies & {
    /** Acting as the maintenance role: it sees the runs of every project. */
    maintenance: Database;
    logger: Logger;
  },
): RegularSweep {
  const { maintenance, logger, ...finalizing } = options;

  async function sweep(): Promise<number> {
    let ended = 0;
    const failures: unknown[] = [];
    for (const { projectId, runId } of await listExpiredCiRuns(maintenance)) {
      try {
        if (!(await end(projectId, runId))) continue;
        logger.info({ projectId, runId }, "a CI run that had expired was ended");
        ended += 1;
      } catch (thrown) {
        // The runs behind it are not to wait for it.
        failures.push(thrown);
      }
    }
    if (failures.length > 0) throw failures[0];
    return ended;
  }

  async function end(projectId: string, runId: string): Promise<boolean> {
    try {
      const ciRun = await finalizing.ciRuns.find(projectId, runId);
      return ciRun !== null && (await endCiRunIfIdle(finalizing, { projectId, ciRun, status: "failed" }));
    } catch (thrown) {
      // A deleted project refuses access, and its runs are removed with it. Other projects must not wait for that.
      if (isAppError(thrown) && thrown.code === "unauthorized") return false;
      throw thrown;
    }
  }

  return sweepRegularly({ sweep, everyMs: sweepEveryMs, logger, failure: "sweeping runs failed unexpectedly" });
}
