import type { Statement, Transaction } from "@touchstone/db";
import { buildTraceLock } from "../writing/trace-read.ts";

/** The traces of these rows, each once. */
export function traceKeysOf(rows: readonly { trace_key: string | null }[]): string[] {
  return [...new Set(rows.map(({ trace_key }) => trace_key).filter((key) => key !== null))];
}

/** Locks a project's traces; it must precede the statement that reads them. */
export function tracesLock(projectId: string, traceKeys: readonly string[]): Statement {
  return buildTraceLock(traceKeys.map((traceKey) => ({ projectId, traceKey })));
}

/**
 * Called after spans of these traces were removed, under their locks: a trace without spans loses its row, its log
 * records, the updates of its spans, its scores and its links to media; a trace that lost some spans is derived again.
 */
export async function settleTraces(
  transaction: Transaction,
  projectId: string,
  traceKeys: readonly string[],
): Promise<void> {
  await transaction.pipeline([
    {
      name: "traces_remove_empty",
      text: `
        with gone as materialized (
          select trace_key
          from unnest($2::uuid[]) as wanted (trace_key)
          where not exists (
            select from ingest.spans where spans.project_id = $1 and spans.trace_key = wanted.trace_key
          )
        ),
        fragments as (
          delete from ingest.log_fragments
          where project_id = $1 and trace_key in (select trace_key from gone)
        ),
        updates as (
          delete from ingest.span_updates
          where project_id = $1 and trace_key in (select trace_key from gone)
        ),
        scored as materialized (
          select score
          from gone
          cross join lateral (
            select ctid as score
            from ingest.scores
            where project_id = $1 and scores.trace_key = replace(gone.trace_key::text, '-', '')
            offset 0
          ) of_trace
        ),
        unscored as (
          delete from ingest.scores
          where project_id = $1 and ctid = any(array(select score from scored))
        ),
        linked as materialized (
          select link
          from gone
          cross join lateral (
            select ctid as link
            from ingest.media_links
            where project_id = $1 and media_links.trace_key = replace(gone.trace_key::text, '-', '')
            offset 0
          ) of_trace
        ),
        unlinked as (
          delete from ingest.media_links
          where project_id = $1 and ctid = any(array(select link from linked))
        )
        delete from ingest.traces
        where project_id = $1 and trace_key in (select trace_key from gone)`,
      values: [projectId, traceKeys],
    },
    {
      name: "traces_derive_rest",
      text: `
        update ingest.traces
        set is_stale = true, due_at = now(), span_count = (
          select count(*) from ingest.spans where spans.project_id = $1 and spans.trace_key = traces.trace_key
        )
        where project_id = $1 and trace_key = any($2::uuid[])`,
      values: [projectId, traceKeys],
    },
  ]);
}
