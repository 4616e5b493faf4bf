import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { sweepExpiredCiRuns } from "../ci-runs/end-expired-ci-runs.ts";
import type { CiFinalizingDependencies } from "../ci-runs/finalize-ci-run.ts";
import { sweepClosingRuns } from "../runs/complete-closing-runs.ts";
import { sweepIdleRuns } from "../runs/fail-idle-runs.ts";

/** Starts what ends runs that their clients left behind. */
export function startSweepers(
  options: CiFinalizingDependencies & {
    /** Acting as the maintenance role: it sees the runs of every project. */
    maintenance: Database;
    /** After how long without a result a run ends; null = never. */
    runIdleMs: number | null;
    logger: Logger;
  },
): { stop(): Promise<void> } {
  const { maintenance, runIdleMs, batchMs, logger } = options;
  const sweepers = [
    sweepClosingRuns({ database: maintenance, batchMs, logger }),
    sweepExpiredCiRuns(options),
    ...(runIdleMs === null ? [] : [sweepIdleRuns({ database: maintenance, idleMs: runIdleMs, logger })]),
  ];
  return {
    async stop() {
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
    },
  };
}
