import { spansSettled, tracesSettled, tracesStored } from "@touchstone/contracts";
import { type ArrayColumns, integerArray, parameters, type Statement } from "@touchstone/db";
import { otlpFlag, type ProjectRow } from "../../model/span-row.ts";
import { tokenLiteral } from "../../model/token-list.ts";

/** Raised by `ingest.require_quota`. */
export const quotaSpent = "TSQ01";

/** An event is published as one message; larger ones are split before they reach the bus's limit of 8 MB. */
const eventCharsMax = 1024 * 1024;

/** The parameters of each row, column by column. */
const columns: ArrayColumns<ProjectRow> = {
  project_id: ["uuid", ({ projectId }) => projectId],
  id: ["uuid", ({ row }) => row.id],
  dk: ["uuid", ({ row }) => row.dk],
  trace_key: ["uuid", ({ row }) => row.traceKey],
  span_id: ["text", ({ row }) => row.spanId],
  parent_span_id: ["text", ({ row }) => row.parentSpanId],
  is_root: ["boolean", ({ row }) => row.isRoot],
  created_at_ms: ["float8", ({ row }) => row.createdAtMs],
  started_at_ms: ["float8", ({ row }) => row.startedAtMs],
  ended_at_ms: ["float8", ({ row }) => row.endedAtMs],
  session_id: ["text", ({ row }) => row.sessionId],
  agent_id: ["uuid", ({ row }) => row.agentId],
  agent_name: ["text", ({ row }) => row.agentName],
  name: ["text", ({ row }) => row.name],
  kind: ["text", ({ row }) => row.kind],
  framework: ["text", ({ row }) => row.framework],
  source: ["text", ({ row }) => row.source],
  model: ["text", ({ row }) => row.model],
  has_error: ["boolean", ({ row }) => row.hasError],
  latency_ms: ["float8", ({ row }) => row.latencyMs],
  own_tokens: ["text", ({ row }) => tokenLiteral(row.ownTokens)],
  flags: ["smallint", ({ row }) => row.flags],
  body_length: ["integer", ({ row }) => row.body.length],
  event: ["text", ({ row }) => row.event],
  agg_tokens: ["text", ({ row }) => tokenLiteral(row.aggTokens)],
  facts: ["text", ({ row }) => (row.facts === null ? null : JSON.stringify(row.facts))],
  derived: ["text", ({ row }) => row.derived],
  response_id: ["text", ({ row }) => row.responseId],
  doc: ["text", ({ row }) => row.doc],
  parent_dk: ["uuid", ({ row }) => row.parentDk],
  settled: ["text", ({ row }) => row.settled],
  net_tokens: ["text", ({ row }) => tokenLiteral(row.netTokens)],
  tools: ["text", ({ row }) => row.tools],
  prompt_name: ["text", ({ row }) => row.prompt?.name ?? null],
  prompt_version: ["text", ({ row }) => row.prompt?.version ?? null],
};

/** The start of each body in `bodies`, and the outbox row that announces each row, are computed over the rows. */
const $ = parameters(columns, [
  "scope",
  "bodies",
  "bodyStarts",
  "eventParts",
  "shard",
  "quota",
  "graceSeconds",
  "storedSubject",
  "settledSubject",
]);

/**
 * One statement, hence one transaction: the identities, the spans whose identity is new, the agents that their roots
 * register, the counters and the outbox rows: one for all new roots, one for those of them that settle with it, and one
 * for children ({@link insertTextWithChildren}) if they settle with it too. Returns the ids that were not stored
 * because their identity exists.
 *
 * - The first step sets the project list for row-level security, and every row checked against it comes from that step.
 *   (A `select` on these tables could not do that: its policy may be evaluated earlier.)
 * - Identities are inserted in key order, and agents and counters in theirs, so that two writers cannot deadlock.
 * - A row sent again after a lost answer finds its own id: it is not stored, counted or announced twice.
 * - `in (…) is true` keeps the planner from turning a hashed lookup into a join whose size it cannot know.
 */
const storeText = `
  with scope as materialized (
    select set_config('app.projects', ingest.open_projects(${$.scope}), true) as projects
  ),
  incoming as materialized (
    select u.*
    from scope,
      unnest(${$.arrays}, ${$.bodyStarts}::integer[], ${$.eventParts}::integer[])
        with ordinality as u (${$.names}, body_start, event_part, position)
    where scope.projects is not null
  ),
  claimed as (
    insert into ingest.span_keys (project_id, dk, id)
    select project_id, dk, id
    from incoming
    where dk is not null
    order by project_id, dk, position
    on conflict do nothing
    returning id
  ),
  stored as (
    insert into ingest.spans (
      project_id, id, dk, trace_key, span_id, parent_span_id, is_root, created_at,
      started_at, ended_at, session_id, agent_id, name, kind, framework,
      source, model, has_error, latency_ms, own_tokens, agg_tokens, net_tokens, tools, flags, facts, derived, response_id,
      prompt_name, prompt_version, body
    )
    select
      project_id, id, dk, trace_key, span_id, parent_span_id, is_root, to_timestamp(created_at_ms / 1000),
      to_timestamp(started_at_ms / 1000), to_timestamp(ended_at_ms / 1000), session_id, agent_id, name, kind, framework,
      source, model, has_error, latency_ms, own_tokens::float8[], agg_tokens::float8[], net_tokens::float8[], tools,
      flags, facts, derived, response_id, prompt_name, prompt_version,
      substr(${$.bodies}::bytea, body_start, body_length)
    from incoming
    where dk is null or id in (select id from claimed)
    on conflict do nothing
    returning id
  ),
  new_roots as materialized (
    select *
    from incoming
    where is_root and (id in (select id from stored)) is true
  ),
  registered as (
    insert into ingest.agents (project_id, id, name_key, name)
    select distinct on (project_id, agent_id) project_id, agent_id, agent_id, agent_name
    from new_roots
    where agent_name is not null
    order by project_id, agent_id
    on conflict do nothing
  ),
  counted as (
    insert into ingest.root_counts as counts (project_id, day, framework, source, shard, n)
    select
      project_id, (to_timestamp(created_at_ms / 1000) at time zone 'UTC')::date, coalesce(framework, ''),
      coalesce(source, ''), ${$.shard}::smallint, count(*)
    from new_roots
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (project_id, day, framework, source, shard) do update
    set n = counts.n + excluded.n
  ),
  used as (
    insert into ingest.trace_usage as usage (project_id, day, shard, n)
    select project_id, (now() at time zone 'UTC')::date,
      case when ${$.quota}::bigint is null then ${$.shard}::smallint else 0 end, count(*)
    from new_roots
    group by project_id
    order by project_id
    on conflict (project_id, day, shard) do update
    set n = usage.n + excluded.n
    returning project_id, day, n
  ),
  awaited as (
    insert into ingest.awaited_parents (project_id, dk, child_id, due_at)
    select project_id, parent_dk, id, now() + make_interval(secs => ${$.graceSeconds}::float8)
    from incoming
    where parent_dk is not null and (id in (select id from stored)) is true
    order by 1, 2, 3
    on conflict do nothing
  ),
  arrived as (
    select ingest.announce_parents(array_agg(project_id), array_agg(dk)) as awaiting
    from incoming
    where dk is not null and flags & ${otlpFlag} = 0 and (id in (select id from claimed)) is true
    having count(*) > 0
  ),
  documented as (
    insert into ingest.search_docs (project_id, id, doc)
    select project_id, id, doc
    from new_roots
    where doc is not null
    order by position
  ),
  announced as (
    insert into ingest.outbox (subject, body)
    select ${$.storedSubject}, '{"traces":[' || string_agg(event, ',' order by position) || ']}'
    from new_roots
    group by event_part
    union all
    select ${$.settledSubject}, '{"traces":[' || string_agg('{' || settled || substr(event, 2), ',' order by position) || ']}'
    from new_roots
    where settled is not null
    group by event_part`;

const answerText = `
  )
  select id
  from incoming
  where dk is not null and (id in (select id from claimed)) is not true
    and (select bool_and(ingest.require_quota(project_id, day, n, ${$.quota}::bigint)) from used) is not false
    and (select awaiting from arrived) is distinct from -1`;

const insertText = storeText + answerText;
const insertTextWithChildren = `${storeText}
    union all
    select '${spansSettled.subject}', '{"spans":[' || string_agg('{' || settled || substr(event, 2), ',') || ']}'
    from incoming
    where not is_root and settled is not null and (id in (select id from stored)) is true
    group by event_part${answerText}`;

/**
 * The statement that stores these rows; see {@link storeText}. `shard` belongs to one writer at a time. With a `quota`
 * (root traces per project and UTC day) a statement that would exceed it fails with SQLSTATE {@link quotaSpent}. A REST
 * child waits `orphanGraceMs` for its parent, then the sweeper handles it.
 */
export function buildSpanInsert(
  rows: readonly ProjectRow[],
  { shard, quota, orphanGraceMs }: { shard: number; quota: number | null; orphanGraceMs: number },
): Statement {
  const childrenSettle = rows.some(({ row }) => !row.isRoot && row.settled !== null);
  return {
    name: childrenSettle ? "spans_insert_children" : "spans_insert",
    text: childrenSettle ? insertTextWithChildren : insertText,
    values: $.values(rows, {
      scope: [...new Set(rows.map(({ projectId }) => projectId))].join(","),
      ...joinBodies(rows),
      eventParts: integerArray(numberEventParts(rows)),
      shard,
      quota,
      graceSeconds: orphanGraceMs / 1000,
      storedSubject: tracesStored.subject,
      settledSubject: tracesSettled.subject,
    }),
  };
}

/** The bodies of rows as one parameter, and where each starts in it: one large value costs less than an array of them. */
export function joinBodies(rows: readonly ProjectRow[]): { bodies: Buffer; bodyStarts: string | null } {
  const bodies = rows.map(({ row }) => row.body);
  let start = 1;
  const starts = bodies.map((body) => {
    const at = start;
    start += body.length;
    return at;
  });
  return { bodies: Buffer.concat(bodies), bodyStarts: integerArray(starts) };
}

/**
 * The number of the outbox row that announces each row, usually the first. The longer of the two is within the bound.
 */
function numberEventParts(rows: readonly ProjectRow[]): number[] {
  let part = 0;
  let chars = 0;
  return rows.map(({ row }) => {
    const length = (row.event?.length ?? 0) + (row.settled?.length ?? 0);
    if (chars > 0 && chars + length > eventCharsMax) {
      part += 1;
      chars = 0;
    }
    chars += length;
    return part;
  });
}
