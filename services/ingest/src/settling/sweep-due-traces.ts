import { type Database, sqlStateOf } from "@touchstone/db";
import type { Logger, Sliced } from "@touchstone/service-kit";
import { planTrace, type TouchedTrace, type TracePlan } from "../assembly/plan-trace.ts";
import type { DueRow } from "../trace-store/settling/due-rows.ts";
import { putOffTrace, waitForTomorrow } from "../trace-store/settling/waiting-traces.ts";
import { quotaSpent } from "../trace-store/writing/span-insert.ts";
import { deriveStored, type WriteContext } from "../trace-store/writing/write-traces.ts";

/**
 * Handles waiting OTel traces: derives large ones with stale values, and promotes the earliest orphan of each trace
 * that still has no root after its grace period (otlp 6). Over quota, promotions wait until the next day. A trace that
 * fails is put off, and the others go on. Returns the number of due traces.
 */
export async function sweepDueTraces(
  database: Database,
  due: readonly DueRow[],
  context: WriteContext,
  logger: Logger,
): Promise<number> {
  for (const { projectId, key: traceKey } of due) {
    const key = { projectId, traceKey };
    try {
      await database.scoped([projectId], (transaction) => deriveStored(transaction, [key], context, planDue));
    } catch (thrown) {
      if (sqlStateOf(thrown) === quotaSpent) await waitForTomorrow(database, key);
      else {
        logger.error({ err: thrown, ...key }, "a trace could not be derived; trying again in a minute");
        // Fails if the database is unavailable, which ends the turn.
        await putOffTrace(database, key);
      }
    }
  }
  return due.length;
}

function* planDue(touched: TouchedTrace): Sliced<TracePlan | null> {
  // Another process was faster.
  if (touched.state?.is_due !== true) return null;
  const plan = yield* planTrace(touched);
  if (touched.state.is_stale || plan.firstOrphan === null) return plan;
  return yield* planTrace({ ...touched, promoted: plan.firstOrphan });
}
