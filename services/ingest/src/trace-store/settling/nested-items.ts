import type { Queryable, Statement } from "@touchstone/db";
import type { ReadSpan } from "../../model/read-span.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { readSpanSlices } from "../reading/span-slices.ts";
import type { DueTrace } from "./due-traces.ts";

/**
 * The topmost spans of experiments that run below a span of something else, which are all in its trace. `read` is scoped to the
 * project.
 */
export async function* readNestedItems(
  read: Queryable["query"],
  projectId: string,
  traces: readonly DueTrace[],
): AsyncIterable<{ trace: DueTrace; span: ReadSpan }> {
  const byKey = new Map(traces.filter((trace) => trace.nestsExperiment).map((trace) => [trace.traceKey, trace]));
  if (byKey.size === 0) return;
  const { rows } = await read<{ id: string; trace_key: string }>(buildNestedRead(projectId, [...byKey.keys()]));
  const traceOf = new Map(rows.map(({ id, trace_key }) => [id, byKey.get(trace_key) as DueTrace]));
  for await (const slice of readSpanSlices(read, { projectId, ids: [...traceOf.keys()], metadata: false })) {
    for (const span of slice) yield { trace: traceOf.get(span.id) as DueTrace, span };
  }
}

function buildNestedRead(projectId: string, traceKeys: readonly string[]): Statement {
  const text = `
    select spans.id, spans.trace_key
    from unnest($2::uuid[]) as due (trace_key)
    join ingest.spans on spans.project_id = $1 and spans.trace_key = due.trace_key
    where not spans.is_root and spans.source = 'eval-run' and spans.flags & ${otlpFlag} <> 0
      and not exists (
        select from ingest.spans parents
        where parents.project_id = $1 and parents.trace_key = spans.trace_key
          and parents.span_id = spans.parent_span_id and parents.source = 'eval-run'
      )`;
  return { name: "settling_read_nested_items", text, values: [projectId, traceKeys] };
}
