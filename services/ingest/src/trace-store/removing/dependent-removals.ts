import { otlpFlag } from "../../model/span-row.ts";

/** The trace of a row as scores name it; null for a row that came over REST, whose span ids are unique in the project. */
export const otelKeyColumn = `case when flags & ${otlpFlag} <> 0 then replace(trace_key::text, '-', '') end as otel_key`;

/**
 * The parts of a `with` that delete the scores of rows, and their links to media. The project is `$1`. `traces` selects
 * the traces by their `trace_key`, `spans` the names by which scores refer to a span, as `span_id` with the `trace_key`
 * of its trace; null for a name that is unique in the project. Both keys are without hyphens. Scores and links are
 * looked up one by one, because without statistics an array would be compared with each of the project. Few traces have
 * links; these are deleted by the trace, since the sweep of media may move them meanwhile.
 */
export function dependentRemovals({ traces, spans }: { traces: string; spans: string }): string {
  return `
    scored as materialized (
      select score
      from (${traces}) as gone
      cross join lateral (
        select ctid as score
        from ingest.scores
        where project_id = $1 and scores.trace_key = gone.trace_key
        offset 0
      ) of_row
      union all
      select score
      from (${spans}) as gone
      cross join lateral (
        select ctid as score
        from ingest.scores
        where project_id = $1 and scores.span_id = gone.span_id
          and (gone.trace_key is null or scores.trace_key is null or scores.trace_key = gone.trace_key)
        offset 0
      ) of_span
    ),
    unscored as (
      delete from ingest.scores
      where project_id = $1 and ctid = any(array(select score from scored))
    ),
    linked as materialized (
      select of_row.trace_key
      from (${traces}) as gone
      cross join lateral (
        select trace_key
        from ingest.media_links
        where project_id = $1 and media_links.trace_key = gone.trace_key
        limit 1
      ) of_row
    ),
    unlinked as (
      delete from ingest.media_links
      where project_id = $1 and trace_key = any(array(select trace_key from linked))
    )`;
}
