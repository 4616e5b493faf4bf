import type { TraceOutline } from "@touchstone/contracts";
import { type Ask, api } from "./tool.ts";

type Span = TraceOutline["spans"][number];

/** A step of a trace, without its texts. `spanId` is the id that its sender gave it. */
export interface SkeletonLine extends Pick<Span, "spanId" | "name" | "spanKind" | "latencyMs" | "hasError" | "model"> {
  id: string;
  depth: number;
}

/** The steps of a trace in the order of the tree. */
export async function readSkeleton(traceId: string, ask: Ask): Promise<{ lines: SkeletonLine[]; truncated: boolean }> {
  const path = `${api}/ingest/traces/${encodeURIComponent(traceId)}/outline`;
  const { spans, truncated } = (await ask("GET", path)) as TraceOutline;
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = Map.groupBy(spans, ({ parentSpanId }) => (known.has(parentSpanId) ? parentSpanId : null));
  const lines: SkeletonLine[] = [];
  const visited = new Set<Span>();
  // A stack: a trace may be deeper than the call stack.
  const waiting = (below.get(null) ?? spans.slice(0, 1)).map((span) => ({ span, depth: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { span, depth } = next;
    if (visited.has(span)) continue;
    visited.add(span);
    const { _id, spanId, name, spanKind, latencyMs, hasError, model } = span;
    lines.push({ id: _id, spanId, depth, name, spanKind, latencyMs, hasError, ...(model !== undefined && { model }) });
    if (spanId === null) continue;
    for (const child of (below.get(spanId) ?? []).toReversed()) waiting.push({ span: child, depth: depth + 1 });
  }
  return { lines, truncated };
}
