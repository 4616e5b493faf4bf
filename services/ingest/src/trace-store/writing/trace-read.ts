import type { Statement } from "@touchstone/db";
import type { FragmentRecord, TraceKey } from "../../assembly/stored-trace.ts";
import { otlpFlag } from "../../model/span-row.ts";

/** Must precede the statements that read. */
export function buildTraceLock(keys: readonly TraceKey[]): Statement {
  return {
    name: "trees_lock",
    text: "select ingest.lock_traces($1::uuid[], $2::uuid[])",
    values: columns(keys),
  };
}

/** Raised by `ingest.require_new_traces`. */
export const tracesKnown = "TST01";

/** Fails with SQLSTATE {@link tracesKnown} if any input of these traces is stored. */
export function buildNewTraceCheck(keys: readonly TraceKey[], responses: readonly ResponseKey[]): Statement {
  return {
    name: "trees_require_new",
    text: "select ingest.require_new_traces($1::uuid[], $2::uuid[], $3::uuid[], $4::text[])",
    values: [
      ...columns(keys),
      responses.map(({ projectId }) => projectId),
      responses.map(({ responseId }) => responseId),
    ],
  };
}

/** The stored state of whole traces; none for a trace without spans and fragments. */
export function buildTraceStates(keys: readonly TraceKey[]): Statement {
  const text = `
    select traces.project_id, traces.trace_key, traces.session_id, traces.shared, traces.agent_id, traces.span_count,
      traces.is_stale, coalesce(traces.due_at <= now(), false) as is_due, traces.due_at is not null as is_watched
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, trace_key)
    join ingest.traces on traces.project_id = wanted.project_id and traces.trace_key = wanted.trace_key`;
  return { name: "traces_read", text, values: columns(keys) };
}

/** The number of spans of traces of one project; none for a trace that is not stored. */
export function buildSizesRead(projectId: string, traceKeys: readonly string[]): Statement {
  const text = `
    select trace_key, span_count
    from unnest($2::uuid[]) as wanted (wanted_key)
    cross join lateral (
      select trace_key, span_count
      from ingest.traces
      where project_id = $1 and trace_key = wanted.wanted_key
      limit 1
    ) traces`;
  return { name: "traces_sizes", text, values: [projectId, traceKeys] };
}

/** Every stored row of the traces with at most `spansMax` spans; no rows of larger ones. */
export function buildTreeRead(keys: readonly TraceKey[], spansMax: number | null): Statement {
  const text = `
    select spans.*
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, trace_key)
    join ingest.traces on traces.project_id = wanted.project_id and traces.trace_key = wanted.trace_key
    cross join lateral (
      select project_id, trace_key, id, span_id, parent_span_id, kind, flags,
        (extract(epoch from started_at) * 1000)::float8 as started_ms,
        (extract(epoch from ended_at) * 1000)::float8 as ended_ms,
        own_tokens, response_id, facts, is_root, name, model, session_id, agent_id, has_error, agg_tokens,
        net_tokens, tools, derived, created_at, source
      from ingest.spans
      where spans.project_id = wanted.project_id and spans.trace_key = wanted.trace_key and flags & ${otlpFlag} <> 0
      offset 0
    ) spans
    where $3::integer is null or traces.span_count <= $3`;
  return { name: "trees_read", text, values: [...columns(keys), spansMax] };
}

/** Longer facts of a record are read apart: earlier versions stored whole texts there. */
const factBytesMax = 1_000;

const fragmentColumns = `
  fragments.project_id, fragments.trace_key, fragments.dk, fragments.span_id, fragments.response_id,
  fragments.time_nano::text as time_nano,
  case when octet_length(fragments.facts) <= ${factBytesMax} then fragments.facts end as facts,
  octet_length(fragments.facts) as fact_bytes`;

/** The fragments of the traces: of each all, or one more than `fragmentsMax`. */
export function buildFragmentRead(keys: readonly TraceKey[], fragmentsMax: number | null): Statement {
  const text = `
    select fragments.*
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, trace_key)
    cross join lateral (
      select ${fragmentColumns}
      from ingest.log_fragments fragments
      where fragments.project_id = wanted.project_id and fragments.trace_key = wanted.trace_key
      limit $3::integer + 1
    ) fragments`;
  return { name: "trees_read_fragments", text, values: [...columns(keys), fragmentsMax] };
}

/** The facts of these fragments. */
export function buildFactsRead(fragments: readonly Pick<FragmentRecord, "project_id" | "dk">[]): Statement {
  const text = `
    select fragments.*
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, dk)
    cross join lateral (
      select project_id, dk, facts
      from ingest.log_fragments
      where log_fragments.project_id = wanted.project_id and log_fragments.dk = wanted.dk
      limit 1
    ) fragments`;
  return {
    name: "trees_read_facts",
    text,
    values: [fragments.map(({ project_id }) => project_id), fragments.map(({ dk }) => dk)],
  };
}

/** A response of a project. */
export interface ResponseKey {
  projectId: string;
  responseId: string;
}

/**
 * The fragments without a trace of these responses: of the responses of a project all, or one more than `fragmentsMax`.
 */
export function buildResponseFragmentRead(responses: readonly ResponseKey[], fragmentsMax: number | null): Statement {
  const text = `
    select fragments.*
    from (
      select project_id, array_agg(distinct response_id) as response_ids
      from unnest($1::uuid[], $2::text[]) as incoming (project_id, response_id)
      group by project_id
    ) projects
    cross join lateral (
      select ${fragmentColumns}
      from ingest.log_fragments fragments
      where fragments.project_id = projects.project_id and fragments.response_id = any (projects.response_ids)
        and fragments.trace_key is null
      limit $3::integer + 1
    ) fragments`;
  return {
    name: "response_fragments_read",
    text,
    values: [responses.map(({ projectId }) => projectId), responses.map(({ responseId }) => responseId), fragmentsMax],
  };
}

/**
 * The fragments without a trace of the responses of these traces' stored spans, with the trace: of each all, or one more
 * than `max`; none of traces with more than `max` spans.
 */
export function buildStoredResponseFragmentRead(keys: readonly TraceKey[], max: number | null): Statement {
  const text = `
    select fragments.*, wanted.trace_key as of_trace
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, trace_key)
    join ingest.traces on traces.project_id = wanted.project_id and traces.trace_key = wanted.trace_key
    cross join lateral (
      select ${fragmentColumns}
      from (
        select distinct project_id, response_id
        from ingest.spans
        where spans.project_id = wanted.project_id and spans.trace_key = wanted.trace_key and response_id is not null
        offset 0
      ) responses
      join ingest.log_fragments fragments
        on fragments.project_id = responses.project_id and fragments.response_id = responses.response_id
      where fragments.trace_key is null
      limit $3::integer + 1
    ) fragments
    where $3 is null or traces.span_count <= $3`;
  return { name: "trees_read_response_fragments", text, values: [...columns(keys), max] };
}

/** The traces whose spans have one of these responses. */
export function buildResponseTraces(responses: readonly ResponseKey[]): Statement {
  const text = `
    select distinct spans.project_id, spans.trace_key
    from unnest($1::uuid[], $2::text[]) as wanted (project_id, response_id)
    join ingest.spans on spans.project_id = wanted.project_id and spans.response_id = wanted.response_id
    where spans.flags & ${otlpFlag} <> 0`;
  return {
    name: "traces_of_responses",
    text,
    values: [responses.map(({ projectId }) => projectId), responses.map(({ responseId }) => responseId)],
  };
}

/** The bodies of rows. */
export function buildBodyRead(rows: readonly { projectId: string; id: string }[]): Statement {
  const text = `
    select spans.id, spans.body
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, id)
    join ingest.spans on spans.project_id = wanted.project_id and spans.id = wanted.id`;
  return {
    name: "trees_read_bodies",
    text,
    values: [rows.map(({ projectId }) => projectId), rows.map(({ id }) => id)],
  };
}

function columns(keys: readonly TraceKey[]): [string[], string[]] {
  return [keys.map(({ projectId }) => projectId), keys.map(({ traceKey }) => traceKey)];
}
