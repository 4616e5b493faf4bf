import type { Statement } from "@touchstone/db";
import { otlpFlag } from "../../model/span-row.ts";

/** A trace that a client names, and one of its spans. */
export interface NamedSpan {
  /** A UUID: the id of a row, or the digits of a trace of OpenTelemetry. */
  trace: string;
  /** As the client numbers it; null = the root, or the row itself. */
  spanId: string | null;
}

export type NamedRecord = { root_id: string | null; row_id: string | null; span_row_id: string | null };

/** One row for each name, in order; its ids are null while there is no such row. */
export function buildNamedRead(projectId: string, named: readonly NamedSpan[]): Statement {
  const text = `
    select (
      select id
      from ingest.spans
      where project_id = $1 and is_root and flags & ${otlpFlag} <> 0 and trace_key = named.trace
      order by id
      limit 1
    ) as root_id, (
      select id
      from ingest.spans
      where project_id = $1 and id = named.trace
    ) as row_id, (
      select id
      from ingest.spans
      where project_id = $1 and flags & ${otlpFlag} <> 0 and trace_key = named.trace and spans.span_id = named.span_id
      limit 1
    ) as span_row_id
    from unnest($2::uuid[], $3::text[]) with ordinality as named (trace, span_id, place)
    order by place`;
  const values = [projectId, named.map(({ trace }) => trace), named.map(({ spanId }) => spanId)];
  return { name: "spans_named", text, values };
}
