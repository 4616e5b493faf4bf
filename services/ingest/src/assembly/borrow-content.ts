import { byStart, type TreeNode } from "./tree.ts";

/** Kinds that lend content, best first (otlp 5.4). */
const lendingKinds = ["agent", "llm", "chain"];

export function hasInput({ span, fragments }: TreeNode): boolean {
  return span.facts.hasInput === true || fragments.some(({ facts }) => facts.hasInput === true);
}

export function hasOutput({ span, fragments }: TreeNode): boolean {
  return span.facts.hasOutput === true || fragments.some(({ facts }) => facts.hasOutput === true);
}

/**
 * The node whose input a root without input shows: the earliest of the shallowest descendants with input; null if there
 * is none.
 */
export function lendInput(below: readonly TreeNode[]): TreeNode | null {
  return first(shallowest(below, hasInput), byStart);
}

/** The same for output, but the one that ended last. */
export function lendOutput(below: readonly TreeNode[]): TreeNode | null {
  return first(shallowest(below, hasOutput), byEndDescending);
}

/** The shallowest nodes of the best kind that has content. */
function shallowest(below: readonly TreeNode[], has: (node: TreeNode) => boolean): TreeNode[] {
  for (const kind of lendingKinds) {
    const lenders = below.filter((node) => node.span.kind === kind && has(node));
    if (lenders.length > 0) return atTop(lenders);
  }
  return [];
}

/** The shallowest nodes. */
export function atTop(nodes: readonly TreeNode[]): TreeNode[] {
  const depth = nodes.reduce((least, node) => Math.min(least, node.depth), Number.POSITIVE_INFINITY);
  return nodes.filter((node) => node.depth === depth);
}

/** Sorts by end, latest first; spans without an end come last. */
export function byEndDescending(left: TreeNode, right: TreeNode): number {
  const leftMs = left.span.endedAtMs ?? Number.NEGATIVE_INFINITY;
  const rightMs = right.span.endedAtMs ?? Number.NEGATIVE_INFINITY;
  return leftMs === rightMs ? byStart(left, right) : rightMs - leftMs;
}

export function first(nodes: readonly TreeNode[], order: (left: TreeNode, right: TreeNode) => number): TreeNode | null {
  return nodes.reduce<TreeNode | null>(
    (least, node) => (least === null || order(node, least) < 0 ? node : least),
    null,
  );
}
