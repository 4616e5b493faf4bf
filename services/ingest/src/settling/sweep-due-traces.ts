import { type Database, sqlStateOf } from "@touchstone/db";
import type { Logger, Sliced } from "@touchstone/service-kit";
import { planTrace, type TouchedTrace, type TracePlan } from "../assembly/plan-trace.ts";
import type { TraceKey } from "../assembly/stored-trace.ts";
import type { DueRow, Waiting } from "../trace-store/settling/due-rows.ts";
import { quotaSpent } from "../trace-store/writing/span-insert.ts";
import { deriveStored, type WriteContext } from "../trace-store/writing/write-traces.ts";

/** Traces that wait for a derivation or a parent. */
export const waitingTraces: Waiting = { table: "traces", key: "trace_key", due: "due_at" };

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
        await putOff(database, key);
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

async function waitForTomorrow(database: Database, { projectId, traceKey }: TraceKey): Promise<void> {
  await database.query({
    name: "trace_wait_for_quota",
    text: `
      update ingest.traces
      set due_at = (date_trunc('day', now() at time zone 'UTC') + interval '1 day') at time zone 'UTC'
      where project_id = $1 and trace_key = $2`,
    values: [projectId, traceKey],
  });
}

async function putOff(database: Database, { projectId, traceKey }: TraceKey): Promise<void> {
  await database.query({
    name: "trace_derive_later",
    text: `
      update ingest.traces
      set due_at = now() + interval '1 minute'
      where project_id = $1 and trace_key = $2 and due_at <= now()`,
    values: [projectId, traceKey],
  });
}

/**
 * Schedules the traces of recent log records that have only a response id: if record and span were committed at the
 * same moment, neither saw the other.
 */
export async function recheckResponses(database: Database): Promise<void> {
  await database.query({
    name: "fragments_recheck",
    text: `
      update ingest.traces
      set is_stale = true, due_at = now()
      from (
        select distinct spans.project_id, spans.trace_key
        from ingest.log_fragments fragments
        join ingest.spans
          on spans.project_id = fragments.project_id and spans.response_id = fragments.response_id
        where fragments.trace_key is null
          and fragments.received_at between now() - interval '25 seconds' and now() - interval '10 seconds'
      ) concerned
      where traces.project_id = concerned.project_id and traces.trace_key = concerned.trace_key`,
  });
}
