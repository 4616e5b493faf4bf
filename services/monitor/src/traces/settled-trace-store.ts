import type { SettledTrace } from "@touchstone/contracts";
import { type ArrayColumns, parameters, type Queryable } from "@touchstone/db";
import { isWatched } from "../model/sampling.ts";
import { classifyOperationally, healthy } from "./classify.ts";
import { seenTraceDays, writePatternIds } from "./trace-store.ts";

/**
 * The time after a trace settled during which its checks may be planned. Settled checks are kept longer: while an event may
 * plan checks, the stored rows prevent duplicates.
 */
export const plannableDays = 6;

/**
 * An older trace may have been seen and deleted, so an unknown one does not count as new. A day less than rows are kept: clocks
 * differ, and a trace may be dated a minute ahead.
 */
export const rememberedDays = seenTraceDays - 1;

/** The members of each settled trace, column by column. */
const columns: ArrayColumns<SettledTrace> = {
  project_id: ["uuid", (trace) => trace.projectId],
  trace_id: ["uuid", (trace) => trace.traceId],
  agent_id: ["uuid", (trace) => trace.agentId],
  name: ["text", (trace) => trace.name],
  created_at: ["timestamptz", (trace) => trace.createdAt],
  traffic_source: ["text", (trace) => trace.trafficSource],
  monitor: ["boolean", (trace) => trace.monitor],
  pattern_ids: ["json", writePatternIds],
  session_id: ["text", (trace) => trace.sessionId],
  framework: ["text", (trace) => trace.framework],
  model: ["text", (trace) => trace.model],
  latency_ms: ["float8", (trace) => trace.latencyMs],
  has_error: ["boolean", (trace) => trace.hasError],
  failed_tools: ["json", (trace) => JSON.stringify(trace.failedTools)],
  tool_calls: ["integer", (trace) => trace.toolCalls],
  otel_trace_id: ["text", (trace) => trace.otelTraceId ?? null],
  otel_span_id: ["text", (trace) => trace.otelSpanId ?? null],
  response_id: ["text", (trace) => trace.responseId ?? null],
  state_at: ["timestamptz", (trace) => trace.stateAt ?? null],
  operational_class: ["text", (trace) => (isWatched(trace) ? classifyOperationally(trace).name : null)],
};

const $ = parameters(columns, ["projectIds", "plannableDays", "rememberedDays"]);

const isNew = `(seen.monitor is true or seen.created_at > now() - ${$.rememberedDays} * interval '1 day')`;

/** The deleted ones among the projects of traces. */
export async function selectDeletedProjects(
  database: Queryable,
  traces: readonly Pick<SettledTrace, "projectId">[],
): Promise<Set<string>> {
  const { rows } = await database.query<{ project_id: string }>({
    name: "projects_closed",
    text: `
      select project_id
      from monitor.deleted_projects
      where project_id = any ($1::uuid[])`,
    values: [[...new Set(traces.map((trace) => trace.projectId))]],
  });
  return new Set(rows.map((row) => row.project_id));
}

/**
 * Records the newest state of settled traces, and for watched ones their outcome (completions 9.3). `outdated` has the ids of
 * those of which a later state is recorded: nothing changes, and they are in no other set. `plannable` has the ids of those
 * whose checks may be planned: all except those that first settled so long ago that their checks may have been deleted.
 * `fresh` has those that settled for the first time, `reclassified` those with a different failure than before, or none any
 * more. A trace so old that it may itself have been deleted is neither, unless it was sent with `monitor:true`: that is known
 * only when a trace arrives, and no later event follows for such a trace.
 */
export async function recordSettledTraces(
  transaction: Queryable,
  projectIds: readonly string[],
  traces: readonly SettledTrace[],
): Promise<{
  outdated: Set<string>;
  plannable: Set<string>;
  fresh: Map<string, SettledTrace>;
  reclassified: Set<string>;
}> {
  // A statement cannot update one row twice: if one event contains a trace twice, the last state counts.
  const newest = [...new Map(traces.map((trace) => [`${trace.projectId} ${trace.traceId}`, trace])).values()];
  const { rows } = await transaction.query<SettledRow>({
    name: "seen_traces_settle",
    text: `
      insert into monitor.seen_traces as seen
        (project_id, trace_id, agent_id, name, created_at, traffic_source, monitor, pattern_ids, session_id, framework,
         model, latency_ms, has_error, failed_tools, tool_calls, otel_trace_id, otel_span_id, response_id,
         state_at, operational_class, settled_at)
      select project_id, trace_id, agent_id, name, created_at, traffic_source, monitor,
             case when pattern_ids is null then null
                  else array(select json_array_elements_text(pattern_ids)) end,
             session_id, framework, model, latency_ms, has_error,
             array(select json_array_elements_text(failed_tools)), tool_calls, otel_trace_id, otel_span_id, response_id,
             state_at, operational_class, now()
      from unnest(${$.arrays}) as settled(${$.names})
      order by project_id, trace_id
      on conflict (project_id, trace_id) do update
      set agent_id = excluded.agent_id,
          name = excluded.name,
          session_id = excluded.session_id,
          framework = excluded.framework,
          model = excluded.model,
          latency_ms = excluded.latency_ms,
          has_error = excluded.has_error,
          failed_tools = excluded.failed_tools,
          tool_calls = excluded.tool_calls,
          otel_trace_id = excluded.otel_trace_id,
          otel_span_id = excluded.otel_span_id,
          response_id = excluded.response_id,
          state_at = coalesce(excluded.state_at, seen.state_at),
          operational_class = coalesce(excluded.operational_class, seen.operational_class),
          settled_at = coalesce(seen.settled_at, excluded.settled_at)
      where seen.project_id = any (${$.projectIds}::uuid[])
        and (excluded.state_at < seen.state_at) is not true
      returning trace_id, settled_at > now() - ${$.plannableDays} * interval '1 day' and ${isNew} as is_plannable,
                settled_at = now() and ${isNew} as is_fresh,
                coalesce(old.operational_class, '${healthy}') <> coalesce(new.operational_class, '${healthy}')
                  as is_reclassified`,
    values: $.values(newest, { projectIds, plannableDays, rememberedDays }),
  });
  const freshIds = new Set(rows.flatMap((row) => (row.is_fresh ? [row.trace_id] : [])));
  const recorded = new Set(rows.map((row) => row.trace_id));
  return {
    outdated: new Set(newest.map(({ traceId }) => traceId).filter((traceId) => !recorded.has(traceId))),
    plannable: new Set(rows.flatMap((row) => (row.is_plannable ? [row.trace_id] : []))),
    reclassified: new Set(rows.flatMap((row) => (row.is_reclassified ? [row.trace_id] : []))),
    fresh: new Map(newest.flatMap((trace) => (freshIds.has(trace.traceId) ? [[trace.traceId, trace]] : []))),
  };
}

type SettledRow = { trace_id: string; is_plannable: boolean; is_fresh: boolean; is_reclassified: boolean };
