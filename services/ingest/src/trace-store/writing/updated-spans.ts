import { type ArrayColumns, parameters } from "@touchstone/db";
import type { TraceKey } from "../../assembly/stored-trace.ts";
import type { SpanUpdate } from "../../model/span-update.ts";

/** A span with the updates of this batch. */
export interface UpdatedSpan extends TraceKey {
  spanId: string;
  dk: string;
  updates: SpanUpdate[];
}

/** The parameters of a statement about spans. */
const spanColumns: ArrayColumns<UpdatedSpan> = {
  project_id: ["uuid", ({ projectId }) => projectId],
  trace_key: ["uuid", ({ traceKey }) => traceKey],
  span_id: ["text", ({ spanId }) => spanId],
  span_dk: ["uuid", ({ dk }) => dk],
};
export const $spans = parameters(spanColumns, []);
/** All updates of these spans, as `updates`. */
export const ofSpans = `
    from unnest(${$spans.arrays}) as wanted (${$spans.names})
    join ingest.span_updates updates on updates.project_id = wanted.project_id
      and updates.trace_key = wanted.trace_key and updates.span_id = wanted.span_id`;
