import { tracesSettled, tracesStored } from "@touchstone/contracts";
import { type ArrayColumns, parameters, type Statement } from "@touchstone/db";
import type { AssemblySettings } from "../../assembly/assembly-settings.ts";
import type { RowChange, TraceChange, TracePlan } from "../../assembly/plan-trace.ts";
import { tokenLiteral } from "../../model/token-list.ts";

/** A changed row, with the effects of becoming a root or ceasing to be one. */
export interface ChangedRow {
  change: RowChange;
  /** Its new searched text; null = unchanged, or no longer a root. */
  doc: string | null;
  /** JSON that announces a row that becomes a root. */
  event: string | null;
  /** Members of the settled event beyond `event` (see model/settled-facts.ts); null: its trace settles later. */
  settled: string | null;
}

/** The parameters of each changed row, column by column. */
const columns: ArrayColumns<ChangedRow> = {
  project_id: ["uuid", ({ change }) => change.projectId],
  id: ["uuid", ({ change }) => change.id],
  is_root: ["boolean", ({ change }) => change.isRoot],
  name: ["text", ({ change }) => change.name],
  model: ["text", ({ change }) => change.model],
  session_id: ["text", ({ change }) => change.sessionId],
  agent_id: ["uuid", ({ change }) => change.agentId],
  agent_name: ["text", ({ change }) => change.agentName],
  has_error: ["boolean", ({ change }) => change.hasError],
  agg_tokens: ["text", ({ change }) => tokenLiteral(change.aggTokens)],
  derived: ["text", ({ change }) => change.derived],
  flags: ["smallint", ({ change }) => change.flags],
  doc: ["text", ({ doc }) => doc],
  event: ["text", ({ event }) => event],
  settled: ["text", ({ settled }) => settled],
  net_tokens: ["text", ({ change }) => tokenLiteral(change.netTokens)],
  tools: ["text", ({ change }) => change.tools],
};

const $ = parameters(columns, ["shard", "quota", "storedSubject", "settledSubject"]);

const rowChangesText = `
  with wanted as materialized (
    select *
    from unnest(${$.arrays}) with ordinality as u (${$.names}, position)
  ),
  changed as (
    update ingest.spans
    set is_root = wanted.is_root, name = wanted.name, model = wanted.model, session_id = wanted.session_id,
      agent_id = wanted.agent_id, has_error = wanted.has_error, agg_tokens = wanted.agg_tokens::float8[],
      net_tokens = wanted.net_tokens::float8[], tools = wanted.tools, derived = wanted.derived, flags = wanted.flags
    from wanted
    where spans.project_id = wanted.project_id and spans.id = wanted.id
    returning spans.project_id, spans.id, spans.created_at, spans.framework, spans.source,
      new.is_root::integer - old.is_root::integer as step, old.agent_id as old_agent_id, new.agent_id
  ),
  registered as (
    insert into ingest.agents (project_id, id, name_key, name)
    select distinct on (project_id, agent_id) project_id, agent_id, agent_id, agent_name
    from wanted
    where agent_name is not null
    order by project_id, agent_id
    on conflict do nothing
  ),
  doubted as (
    update ingest.agents
    set doubted_at = now()
    from (
      select distinct project_id, old_agent_id
      from changed
      where old_agent_id is not null and old_agent_id is distinct from agent_id
      order by 1, 2
    ) given_up
    where agents.project_id = given_up.project_id and agents.id = given_up.old_agent_id
      and agents.id = agents.name_key
  ),
  counted as (
    insert into ingest.root_counts as counts (project_id, day, framework, source, shard, n)
    select project_id, (created_at at time zone 'UTC')::date, coalesce(framework, ''), coalesce(source, ''),
      ${$.shard}::smallint, sum(step)
    from changed
    where step <> 0
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (project_id, day, framework, source, shard) do update
    set n = counts.n + excluded.n
  ),
  used as (
    insert into ingest.trace_usage as usage (project_id, day, shard, n)
    select project_id, (now() at time zone 'UTC')::date,
      case when ${$.quota}::bigint is null then ${$.shard}::smallint else 0 end, count(*)
    from changed
    where step > 0
    group by project_id
    order by project_id
    on conflict (project_id, day, shard) do update
    set n = usage.n + excluded.n
    returning project_id, day, n
  ),
  forgotten as (
    delete from ingest.search_docs
    using wanted
    where search_docs.project_id = wanted.project_id and search_docs.id = wanted.id
      and (not wanted.is_root or wanted.doc is not null)
    returning search_docs.project_id, search_docs.id, search_docs.xid
  ),
  documented as (
    -- A root keeps the transaction that stored it: the live tail sends it once.
    insert into ingest.search_docs (project_id, id, xid, doc)
    select wanted.project_id, wanted.id, coalesce(forgotten.xid, pg_current_xact_id()), wanted.doc
    from wanted
    join changed on changed.project_id = wanted.project_id and changed.id = wanted.id
    left join forgotten on forgotten.project_id = wanted.project_id and forgotten.id = wanted.id
    where wanted.is_root and wanted.doc is not null
    order by wanted.position
  ),
  announced as (
    insert into ingest.outbox (subject, body)
    select ${$.storedSubject}, '{"traces":[' || string_agg(wanted.event, ',' order by wanted.position) || ']}'
    from wanted
    join changed on changed.project_id = wanted.project_id and changed.id = wanted.id
    where wanted.event is not null and changed.step > 0
    having count(*) > 0
    union all
    select ${$.settledSubject}, '{"traces":[' || string_agg('{' || wanted.settled || substr(wanted.event, 2), ',') || ']}'
    from wanted
    join changed on changed.project_id = wanted.project_id and changed.id = wanted.id
    where wanted.settled is not null and changed.step > 0
    having count(*) > 0
  )
  select count(*) as rows
  from changed
  where (select bool_and(ingest.require_quota(project_id, day, n, ${$.quota}::bigint)) from used) is not false`;

/**
 * Updates the shown values of rows and their dependents: the counters of roots and the daily usage, each by exactly the
 * rows that became roots or ceased to be, for the row's own day, framework and source; agents; searched texts; events.
 * The caller holds the locks of the traces.
 */
export function buildRowChanges(
  rows: readonly ChangedRow[],
  { shard, quota }: { shard: number; quota: number | null },
): Statement {
  return {
    name: "trees_change",
    text: rowChangesText,
    values: $.values(rows, {
      shard,
      quota,
      storedSubject: tracesStored.subject,
      settledSubject: tracesSettled.subject,
    }),
  };
}

/** Writes the state of whole traces, and when the sweeper has to handle them; the caller holds their locks. */
export function buildTraceChanges(
  plans: readonly TracePlan[],
  { orphanGraceMs, staleDelayMs, settleDelayMs, openDelayMs }: AssemblySettings,
): Statement {
  const changed = plans.flatMap(({ projectId, traceKey, trace }) =>
    trace === null ? [] : [{ projectId, traceKey, ...trace }],
  );
  const settlesIn = (settles: TraceChange["settles"]): number | null =>
    settles === null ? null : (settles === "open" ? openDelayMs : settleDelayMs) / 1000;
  // A due time in the past is kept: constant additions cannot postpone a trace indefinitely.
  const text = `
    insert into ingest.traces as traces (
      project_id, trace_key, session_id, shared, agent_id, span_count, is_stale, due_at, settles_at
    )
    select project_id, trace_key, session_id, shared, agent_id, span_count, is_stale,
      now() + make_interval(secs => wait_seconds), clock_timestamp() + make_interval(secs => settle_seconds)
    from unnest(
      $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::boolean[], $8::float8[], $9::float8[]
    ) as u (
      project_id, trace_key, session_id, shared, agent_id, span_count, is_stale, wait_seconds, settle_seconds
    )
    order by project_id, trace_key
    on conflict (project_id, trace_key) do update
    set session_id = excluded.session_id, shared = excluded.shared, agent_id = excluded.agent_id,
      span_count = excluded.span_count, is_stale = excluded.is_stale,
      settles_at = coalesce(excluded.settles_at, traces.settles_at),
      due_at = case
        when excluded.due_at is null then null
        when traces.is_stale and not excluded.is_stale then excluded.due_at
        else least(traces.due_at, excluded.due_at)
      end`;
  return {
    name: "traces_write",
    text,
    values: [
      changed.map(({ projectId }) => projectId),
      changed.map(({ traceKey }) => traceKey),
      changed.map(({ sessionId }) => sessionId),
      changed.map(({ shared }) => shared),
      changed.map(({ agentId }) => agentId),
      changed.map(({ spanCount }) => spanCount),
      changed.map(({ isStale }) => isStale),
      changed.map(({ waits }) => (waits === null ? null : (waits === "stale" ? staleDelayMs : orphanGraceMs) / 1000)),
      changed.map(({ settles }) => settlesIn(settles)),
    ],
  };
}
