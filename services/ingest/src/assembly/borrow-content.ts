import { byStart, type TreeNode } from "./tree.ts";

/** Who lends, best first (otlp 5.4). */
const lendingKinds = ["agent", "llm", "chain"];

export function hasInput({ span, fragments }: TreeNode): boolean {
  return span.facts.hasInput === true || fragments.some(({ facts }) => facts.hasInput === true);
}

export function hasOutput({ span, fragments }: TreeNode): boolean {
  return span.facts.hasOutput === true || fragments.some(({ facts }) => facts.hasOutput === true);
}

/** Whose input a root shows that has none: the earliest of the shallowest descendants that have some; null = nobody's. */
export function lendInput(below: readonly TreeNode[]): TreeNode | null {
  return first(shallowest(below, hasInput), byStart);
}

/** Whose output: the same, but the latest to end. */
export function lendOutput(below: readonly TreeNode[]): TreeNode | null {
  return first(shallowest(below, hasOutput), byEndDescending);
}

/** The nodes of one kind that have something and of those the ones highest up. */
function shallowest(below: readonly TreeNode[], has: (node: TreeNode) => boolean): TreeNode[] {
  for (const kind of lendingKinds) {
    const lenders = below.filter((node) => node.span.kind === kind && has(node));
    if (lenders.length > 0) return atTop(lenders);
  }
  return [];
}

/** Those at the least depth. */
export function atTop(nodes: readonly TreeNode[]): TreeNode[] {
  const depth = nodes.reduce((least, node) => Math.min(least, node.depth), Number.POSITIVE_INFINITY);
  return nodes.filter((node) => node.depth === depth);
}

/** The one that ended last first; one that has not said when comes last. */
export function byEndDescending(left: TreeNode, right: TreeNode): number {
  const leftMs = left.span.endedAtMs ?? Number.NEGATIVE_INFINITY;
  const rightMs = right.span.endedAtMs ?? Number.NEGATIVE_INFINITY;
  return leftMs === rightMs ? byStart(left, right) : rightMs - leftMs;
}

export function first(nodes: readonly TreeNode[], order: (left: TreeNode, right: TreeNode) => number): TreeNode | null {
  return nodes.toSorted(order)[0] ?? null;
}
