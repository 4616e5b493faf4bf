import type { PlacedSpan } from "../model/read-span.ts";

/** A span of a subtree, with its depth below the top. */
export interface PlacedStep {
  id: string;
  kind: string;
  depth: number;
}

/**
 * The subtree of one span, itself first, in start order (completions 7.3). A span always comes after its parent,
 * whatever the clocks say. Other spans are left out.
 */
export function placeSteps(topId: string, spans: readonly PlacedSpan[]): PlacedStep[] {
  const top = spans.find((span) => span.id === topId);
  if (top === undefined) return [];
  const children = Map.groupBy(spans, (span) => span.parentSpanId);
  const known = new Set([topId]);
  const placed = [{ span: top, atMs: top.atMs, depth: 0 }];
  // Grows during iteration: level by level, so that deep trees need no stack.
  for (const { span, atMs, depth } of placed) {
    for (const child of span.spanId === null ? [] : (children.get(span.spanId) ?? [])) {
      // A cycle of parents ends where it began.
      if (known.has(child.id)) continue;
      known.add(child.id);
      placed.push({ span: child, atMs: Math.max(child.atMs, atMs), depth: depth + 1 });
    }
  }
  return placed
    .sort((one, other) => one.atMs - other.atMs || one.depth - other.depth || compareIds(one.span, other.span))
    .map(({ span, depth }) => ({ id: span.id, kind: span.kind, depth }));
}

const compareIds = ({ spanId: one }: PlacedSpan, { spanId: other }: PlacedSpan): number =>
  (one ?? "") < (other ?? "") ? -1 : 1;
