import type { Queryable } from "@touchstone/db";
import { otlpFlag } from "../../model/span-row.ts";
import type { DueTrace } from "./due-traces.ts";

/** The place of a span in its trace. */
export interface SpanPlace {
  id: string;
  span_id: string;
  parent_span_id: string | null;
  is_root: boolean;
  /** Roots only. */
  agent_id: string | null;
}

/** The spans of one OTel trace, by start, without their bodies. */
export async function readPlaces(
  read: Queryable["query"],
  { projectId, traceKey }: Pick<DueTrace, "projectId" | "traceKey">,
): Promise<SpanPlace[]> {
  const { rows } = await read<SpanPlace>({
    name: "trace_places",
    text: `
      select id, span_id, parent_span_id, is_root, agent_id
      from ingest.spans
      where project_id = $1 and trace_key = $2 and flags & ${otlpFlag} <> 0
      order by id`,
    values: [projectId, traceKey],
  });
  return rows;
}

/** Finds the root above one of these spans, which may be itself; null = the span or one above it is missing. */
export function createRootFinder(places: readonly SpanPlace[]): (spanId: string) => SpanPlace | null {
  const bySpanId = new Map(places.map((place) => [place.span_id, place]));
  return (spanId) => {
    const passed = new Set<SpanPlace>();
    let place = bySpanId.get(spanId);
    while (place !== undefined && !place.is_root && !passed.has(place)) {
      passed.add(place);
      place = bySpanId.get(place.parent_span_id ?? "");
    }
    return place?.is_root === true ? place : null;
  };
}
