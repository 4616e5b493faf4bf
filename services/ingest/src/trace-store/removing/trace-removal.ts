import type { Statement } from "@touchstone/db";
import type { RootFilter } from "../../model/root-filter.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { rootConditions } from "../reading/root-conditions.ts";
import { dependentRemovals, otelKeyColumn } from "./dependent-removals.ts";

/** Some matching roots, with the keys of the rows that belong to them. */
export function buildRootSeeds(projectId: string, filter: Omit<RootFilter, "pattern">, limit: number): Statement {
  const values: unknown[] = [projectId, limit];
  const conditions = rootConditions(filter, values);
  const text = `
    select id, trace_key, span_id, flags & ${otlpFlag} <> 0 as is_otlp
    from ingest.spans
    where project_id = $1 and is_root${conditions.map((condition) => ` and ${condition.text}`).join("")}
    order by id
    limit $2`;
  return { name: `roots_to_remove${conditions.map(({ name }) => `_${name}`).join("")}`, text, values };
}

/**
 * Counters have a shard for each writer. Removals have a separate one below them all, so that holders of locks that a
 * removal needs do not wait for it there.
 */
const removalShard = -1;

/**
 * Removes these rows and, in the same statement, their identities, counts, scores, links to media, the REST
 * children's wait for a parent, and log records with only a response id. A count is reduced for the row's own day, framework
 * and source, as of the moment its lock is acquired. (Arrays, not joins: those scanned every identity of the project for
 * every row, 3 s for two thousand rows of four thousand.)
 */
export function buildRowRemoval(projectId: string, ids: readonly string[]): Statement {
  const text = `
    with removed as (
      delete from ingest.spans
      where project_id = $1 and id = any($2::uuid[])
      returning id, dk, is_root, created_at, framework, source, response_id, span_id, ${otelKeyColumn}
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
    not_awaiting as (
      delete from ingest.awaited_parents
      where project_id = $1 and child_id = any($2::uuid[])
    ),
    unsaid as (
      delete from ingest.log_fragments
      where project_id = $1 and trace_key is null and response_id = any(array(select response_id from removed))
    ),
    ${dependentRemovals({
      traces: "select replace(id::text, '-', '') as trace_key from removed",
      spans: `
        select span_id, otel_key as trace_key from removed
        union all
        select id::text, null from removed`,
    })}
    select count(*)::integer as spans, (count(*) filter (where is_root))::integer as roots
    from removed`;
  return { name: "spans_remove", text, values: [projectId, ids, removalShard] };
}

/**
 * Removes the live verdicts and the search texts of rows that were just removed. A separate statement, because it must see a
 * verdict that was being written, and the text of a child that became a root, while the removal waited for its row.
 */
export function buildLateRemoval(projectId: string, ids: readonly string[]): Statement {
  const text = `
    with undocumented as (
      delete from ingest.search_docs
      where project_id = $1 and id = any($2::uuid[])
    )
    delete from ingest.trace_verdicts
    where project_id = $1 and trace_id = any($2::uuid[])`;
  return { name: "spans_remove_late", text, values: [projectId, ids] };
}
