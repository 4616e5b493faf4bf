import type { Statement } from "@touchstone/db";
import { toUuid } from "./hash-uuid.ts";

/** Which roots are meant, as they are shown. Null = any. */
export interface TraceFilter {
  agentId: string | null;
  /** Stated, or by its 32 hexadecimal digits the OTel trace of a root that states none. */
  sessionId: string | null;
  /** As stored: trimmed and lower-cased. */
  framework: string | null;
  model: string | null;
  source: "production" | "eval" | null;
  /** Of `createdAt`, epoch milliseconds: from inclusive, to exclusive. */
  fromMs: number | null;
  toMs: number | null;
}

/** The smallest id that a row made at an instant, or later, can have. */
export function lowestIdAt(atMs: number): string {
  const digits = Math.max(0, Math.ceil(atMs)).toString(16).padStart(12, "0");
  return toUuid(digits.padEnd(32, "0"));
}

/** Some of the roots that match, with what tells which rows belong to them. */
export function buildRootSeeds(projectId: string, filter: TraceFilter, limit: number): Statement {
  const values: unknown[] = [projectId, limit];
  const conditions: string[] = [];
  let name = "roots_to_remove";
  function add(mark: string, value: unknown, condition: (parameter: string) => string): void {
    if (value === null) return;
    conditions.push(`and ${condition(`$${values.push(value)}`)}`);
    name += `_${mark}`;
  }
  add("agent", filter.agentId, (agent) => `agent_id = ${agent}::uuid`);
  if (filter.sessionId !== null && /^[0-9a-f]{32}$/i.test(filter.sessionId)) {
    const key = `$${values.push(toUuid(filter.sessionId.toLowerCase()))}`;
    const unstated = `(session_id is null and trace_key = ${key}::uuid and flags & 1 <> 0)`;
    add("trace", filter.sessionId, (session) => `(session_id = ${session} or ${unstated})`);
  } else {
    add("session", filter.sessionId, (session) => `session_id = ${session}`);
  }
  add("framework", filter.framework, (framework) => `framework = ${framework}`);
  add("model", filter.model, (model) => `model = ${model}`);
  add("source", filter.source, (source) => `(source is null) = (${source} = 'production')`);
  add("from", filter.fromMs === null ? null : lowestIdAt(filter.fromMs), (id) => `id >= ${id}::uuid`);
  add("to", filter.toMs === null ? null : lowestIdAt(filter.toMs), (id) => `id < ${id}::uuid`);
  const text = `
    select id, trace_key, span_id, flags & 1 <> 0 as is_otlp
    from ingest.spans
    where project_id = $1 and is_root ${conditions.join(" ")}
    order by id
    limit $2`;
  return { name, text, values };
}

/**
 * Counters have a shard for each writer, and removals one of their own, below them all: nobody who holds a lock that a
 * removal needs waits for it there.
 */
const removalShard = -1;

/**
 * Removes these rows and, in the same statement, their identities, counts and search texts, the REST children's wait for
 * a parent, and log records that knew nothing but their response. A count goes down in the row's own day, framework and
 * source, as the row is when its lock is got. (Arrays, not joins: those went over every identity of the project for
 * every row, 3 s for two thousand rows of four thousand.)
 */
export function buildRowRemoval(projectId: string, ids: readonly string[]): Statement {
  const text = `
    with removed as (
      delete from ingest.spans
      where project_id = $1 and id = any($2::uuid[])
      returning id, dk, is_root, created_at, framework, source, response_id
    ),
    forgotten as (
      delete from ingest.span_keys
      where project_id = $1 and dk = any(array(select dk from removed)) and id = any($2::uuid[])
    ),
    uncounted as (
      insert into ingest.root_counts as counts (project_id, day, framework, source, shard, n)
      select
        $1, (created_at at time zone 'UTC')::date, coalesce(framework, ''), coalesce(source, ''), $3::smallint, -count(*)
      from removed
      where is_root
      group by 2, 3, 4
      order by 2, 3, 4
      on conflict (project_id, day, framework, source, shard) do update
      set n = counts.n + excluded.n
    ),
    undocumented as (
      delete from ingest.search_docs
      where project_id = $1 and id = any($2::uuid[])
    ),
    not_awaiting as (
      delete from ingest.awaited_parents
      where project_id = $1 and child_id = any($2::uuid[])
    ),
    unsaid as (
      delete from ingest.log_fragments
      where project_id = $1 and trace_key is null and response_id = any(array(select response_id from removed))
    )
    select count(*)::integer as spans, (count(*) filter (where is_root))::integer as roots
    from removed`;
  return { name: "spans_remove", text, values: [projectId, ids, removalShard] };
}
