import type { TraceTree } from "./trace-tree.ts";

/** Exporters send every few seconds; after this long no more spans are expected. */
const patienceMs = 120_000;
const quietMs = 15_000;
const largeSpans = 5_000;

/** Whether further spans of a trace are expected: it is recent, and its end or the parent of a span is missing. */
export function isArriving(trace: { createdAt: string; latencyMs?: number }, tree: TraceTree, nowMs: number): boolean {
  if (nowMs - endOf(trace, tree) > patienceMs) return false;
  return trace.latencyMs === undefined || tree.nodes.some(({ oddities }) => oddities.includes("orphan"));
}

/** The delay until the next refresh of the spans; false if no more are expected. */
export function rereadAfter(
  trace: { createdAt: string; latencyMs?: number },
  tree: TraceTree,
  nowMs: number,
): number | false {
  const isFresh = nowMs - endOf(trace, tree) < quietMs;
  if (!isFresh && !isArriving(trace, tree, nowMs)) return false;
  return tree.nodes.length > largeSpans ? 10_000 : 3_000;
}

function endOf({ createdAt }: { createdAt: string }, tree: TraceTree): number {
  return Date.parse(createdAt) + tree.toMs;
}
