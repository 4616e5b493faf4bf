import type { Statement } from "@touchstone/db";
import { toUuid } from "../../model/ids.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { narrowColumns, type SpanRecord } from "./span-select.ts";

/** Limits of one page: rows, and bytes of bodies beyond the first. */
const pageRowsMax = 4_000;
const pageBytesMax = 16 * 1024 * 1024;

/** A row of a page, with its position in the session. */
export interface SessionRecord extends SpanRecord {
  /** Seconds since the epoch, exact, as decimal text. */
  at: string;
  /** There are rows after this page. */
  has_more: boolean;
}

/**
 * Spans of a session, by start (else creation), then by span id, independent of their arrival. A page ends when its
 * bodies reach the limit of bytes; the next begins after its last row. Null = the first.
 */
export function buildSessionPage(projectId: string, sessionId: string, after: SessionRecord | null): Statement {
  const traceKey = /^[0-9a-f]{32}$/i.test(sessionId) ? toUuid(sessionId.toLowerCase()) : null;
  // A REST span states its session; the spans of an OTel trace have the trace's, or its id. Only keys are sorted: the
  // sizes of bodies are known without reading them, and rows are read in page order.
  const text = `
    with keys as (
      select id, coalesce(span_id, '') as span_id, octet_length(body) as size,
        extract(epoch from coalesce(started_at, created_at)) as at
      from ingest.spans
      where project_id = $1 and session_id = $2 and flags & ${otlpFlag} = 0
      union all
      select id, coalesce(span_id, ''), octet_length(body), extract(epoch from coalesce(started_at, created_at))
      from ingest.spans
      where project_id = $1 and flags & ${otlpFlag} <> 0 and trace_key in (
        select trace_key from ingest.traces where project_id = $1 and session_id = $2
        union
        select $3::uuid where $3 is not null
      )
    ), page as materialized (
      select id, at, span_id as place_span_id, place < rows or bytes < all_bytes as has_more
      from (
        select id, span_id, at, row_number() over ordered as place, sum(size) over ordered as bytes,
          count(*) over () as rows, sum(size) over () as all_bytes
        from keys
        where $4::numeric is null or (at, span_id, id) > ($4, $5::text, $6::uuid)
        window ordered as (order by at, span_id, id)
      ) placed
      where place = 1 or place <= $7 and bytes <= $8
      order by at, place_span_id, id
    )
    select ${narrowColumns}, body, at::text as at, has_more
    from (
      select spans.*, page.at, page.place_span_id, page.id as place_id, page.has_more
      from page
      cross join lateral (select * from ingest.spans where project_id = $1 and id = page.id limit 1) spans
    ) spans
    order by spans.at, place_span_id, place_id`;
  const place = after === null ? [null, null, null] : [after.at, after.span_id ?? "", after.id];
  return {
    name: "session_page",
    text,
    values: [projectId, sessionId, traceKey, ...place, pageRowsMax, pageBytesMax],
  };
}
