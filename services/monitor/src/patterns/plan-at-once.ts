import type { StoredTrace } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { PlannedCheck } from "../checks/check.ts";
import { insertChecks } from "../checks/planned-check-store.ts";
import { selectDeletedProjects } from "../traces/settled-trace-store.ts";
import type { PatternsCheck } from "./patterns-check.ts";

export type PlanAtOnce = (traces: readonly StoredTrace[]) => Promise<void>;

/**
 * Plans the check of patterns for traces stored with `monitor:true`, without waiting for them to settle (completions 9.3). It
 * is not planned again when they settle.
 */
export function createPlanAtOnce(options: {
  /** Connects as the application role. */
  database: Database;
  check: Pick<PatternsCheck, "planAtOnce">;
  onPlanned: () => void;
}): PlanAtOnce {
  const { database, check, onPlanned } = options;
  return async (stored) => {
    const asked = stored.filter(({ monitor }) => monitor === true);
    if (asked.length === 0) return;
    const closed = await selectDeletedProjects(database, asked);
    const traces = asked.filter(({ projectId }) => !closed.has(projectId));
    if (traces.length === 0) return;
    await database.scoped([...new Set(traces.map(({ projectId }) => projectId))], async (transaction) => {
      const planned: { projectId: string; check: PlannedCheck }[] = [];
      for (const trace of traces) {
        for (const each of await check.planAtOnce(trace, transaction)) {
          planned.push({ projectId: trace.projectId, check: each });
        }
      }
      if (planned.length > 0) await insertChecks(transaction, planned);
    });
    onPlanned();
  };
}
