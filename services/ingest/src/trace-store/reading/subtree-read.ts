import type { Statement } from "@touchstone/db";
import type { PlacedSpan } from "../../model/read-span.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { narrowColumns, type SpanRecord } from "./span-select.ts";

/** Bytes of bodies in one slice beyond the first. */
const sliceBytesMax = 16 * 1024 * 1024;

/** A row of a span in a subtree. */
export interface PlacedRecord {
  id: string;
  span_id: string | null;
  parent_span_id: string | null;
  kind: string;
  at_ms: number;
  is_otlp: boolean;
}

const placeColumns = `
    id, span_id, parent_span_id, kind,
    (extract(epoch from coalesce(started_at, created_at)) * 1000)::double precision as at_ms,
    flags & ${otlpFlag} <> 0 as is_otlp`;

/** The span of this id first; for OTel, then the other spans of its trace by start, at most `spansMax` in all. */
export function buildTracePlaces(projectId: string, id: string, spansMax: number): Statement {
  const text = `
    with asked as materialized (
      select trace_key, ${placeColumns}
      from ingest.spans
      where project_id = $1 and id = $2
    )
    select id, span_id, parent_span_id, kind, at_ms, is_otlp
    from asked
    union all
    select others.*
    from asked
    cross join lateral (
      select ${placeColumns}
      from ingest.spans
      where project_id = $1 and trace_key = asked.trace_key and flags & ${otlpFlag} <> 0 and id <> $2
      order by coalesce(started_at, created_at), span_id
      limit $3 - 1
    ) others
    where asked.is_otlp`;
  return { name: "subtree_places", text, values: [projectId, id, spansMax] };
}

/**
 * The REST children of these spans, for a whole level at once: a partition that was never analysed is then scanned once
 * per level, while a recursion would scan it for every span.
 */
export function buildChildPlaces(projectId: string, parentSpanIds: readonly string[], spansMax: number): Statement {
  const text = `
    select ${placeColumns}
    from ingest.spans
    where project_id = $1 and parent_span_id = any($2::text[]) and flags & ${otlpFlag} = 0
    limit $3`;
  return { name: "child_places", text, values: [projectId, parentSpanIds, spansMax] };
}

export function toPlacedSpan(record: PlacedRecord): PlacedSpan {
  return {
    id: record.id,
    spanId: record.span_id,
    parentSpanId: record.parent_span_id,
    kind: record.kind,
    atMs: record.at_ms,
  };
}

/** A row of a slice of requested spans. */
export interface SliceRecord extends SpanRecord {
  /** Position of the row in the request, from 1. */
  place: number;
  /** All existing rows fit into the slice. */
  is_whole: boolean;
}

/** Spans by id, in the requested order, as far as their bodies fit into a slice; the first always does. */
export function buildSpansRead(projectId: string, ids: readonly string[]): Statement {
  // The sizes are known without reading the bodies: only the returned bodies are read.
  const text = `
    select ${narrowColumns}, body, place, is_whole
    from (
      select spans.*, wanted.place::integer as place,
        sum(octet_length(spans.body)) over (order by wanted.place) <= $3
          or row_number() over (order by wanted.place) = 1 as fits,
        sum(octet_length(spans.body)) over () <= $3 as is_whole
      from unnest($2::uuid[]) with ordinality as wanted (wanted_id, place)
      cross join lateral (
        select * from ingest.spans where project_id = $1 and spans.id = wanted.wanted_id limit 1
      ) spans
    ) spans
    where fits
    order by place`;
  return { name: "spans_read", text, values: [projectId, ids, sliceBytesMax] };
}
