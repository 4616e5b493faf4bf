import type { Database } from "@touchstone/db";
import type { TraceKey } from "../../assembly/stored-trace.ts";
import type { Waiting } from "./due-rows.ts";

/** Traces that wait for a derivation or a parent. */
export const waitingTraces: Waiting = { table: "traces", key: "trace_key", due: "due_at" };

/** Puts a trace off until the quota of the next day. */
export async function waitForTomorrow(database: Database, { projectId, traceKey }: TraceKey): Promise<void> {
  await database.query({
    name: "trace_wait_for_quota",
    text: `
      update ingest.traces
      set due_at = (date_trunc('day', now() at time zone 'UTC') + interval '1 day') at time zone 'UTC'
      where project_id = $1 and trace_key = $2`,
    values: [projectId, traceKey],
  });
}

/** Puts a trace off for a minute. */
export async function putOffTrace(database: Database, { projectId, traceKey }: TraceKey): Promise<void> {
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
