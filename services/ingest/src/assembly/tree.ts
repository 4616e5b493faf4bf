import type { FragmentFacts } from "../model/incoming-fragment.ts";
import type { OwnFacts } from "../model/own-facts.ts";
import type { TokenList } from "../model/token-list.ts";

/** A span as its trace is derived from it: nothing here depends on what else came, or when. */
export interface TreeSpan {
  /** Of its row. */
  id: string;
  spanId: string;
  /** Null, empty or its own id = it has none. */
  parentSpanId: string | null;
  /** It says that its parent lives in another process. */
  parentIsRemote: boolean;
  /** It waited for its parent long enough. */
  isPromoted: boolean;
  kind: string;
  /** Null = unknown, which sorts last. */
  startedAtMs: number | null;
  endedAtMs: number | null;
  ownTokens: TokenList | null;
  responseId: string | null;
  facts: OwnFacts;
}

/** A log fragment as its trace is derived from it. */
export interface TreeFragment {
  /** A hash of all it says. */
  dk: string;
  spanId: string | null;
  responseId: string | null;
  timeNano: bigint;
  facts: FragmentFacts;
}

/** A span at its place. */
export interface TreeNode {
  span: TreeSpan;
  /** Null: a root, or an orphan. */
  parent: TreeNode | null;
  /** By start. */
  children: TreeNode[];
  isRoot: boolean;
  /** 0 for roots; what hangs below a missing parent is at least at 1. */
  depth: number;
  /** Nodes in its subtree, itself included: in `Tree.nodes` they follow one another. */
  size: number;
  position: number;
  /** By time. */
  fragments: TreeFragment[];
}

/** The spans of a trace at their places. */
export interface Tree {
  /** Each before its descendants, its subtree without a gap; siblings by start. */
  nodes: TreeNode[];
  /** By start. */
  roots: TreeNode[];
  /** Spans whose parent has not come and that are no roots, by start. */
  orphans: TreeNode[];
}

/** By start, then by span id; one order for all that is chosen or listed. */
export function byStart(left: TreeNode, right: TreeNode): number {
  const leftMs = left.span.startedAtMs ?? Number.POSITIVE_INFINITY;
  const rightMs = right.span.startedAtMs ?? Number.POSITIVE_INFINITY;
  if (leftMs !== rightMs) return leftMs - rightMs;
  return left.span.spanId < right.span.spanId ? -1 : 1;
}

/**
 * Puts the spans of one trace at their places (otlp 6, Root). A root has no parent; or its parent is missing and it was
 * promoted or says that the parent is remote; or it is the earliest of a circle. Span ids are unique among `spans`.
 */
export function growTree(spans: readonly TreeSpan[], fragments: readonly TreeFragment[]): Tree {
  const bySpanId = new Map<string, TreeNode>();
  for (const span of spans) {
    const node = { span, parent: null, children: [], isRoot: false, depth: 0, size: 1, position: 0, fragments: [] };
    bySpanId.set(span.spanId, node);
  }
  const ordered = [...bySpanId.values()].sort(byStart);
  for (const node of ordered) {
    const { parentSpanId, spanId, isPromoted, parentIsRemote } = node.span;
    const hasParent = parentSpanId !== null && parentSpanId !== "" && parentSpanId !== spanId;
    node.parent = hasParent ? (bySpanId.get(parentSpanId) ?? null) : null;
    node.isRoot = !hasParent || (node.parent === null && (isPromoted || parentIsRemote));
  }
  let tops = linkChildren(ordered);
  let nodes = placeNodes(tops);
  if (nodes.length < ordered.length) {
    // Who cannot be reached from a top goes round in a circle.
    breakCircles(ordered);
    tops = linkChildren(ordered);
    nodes = placeNodes(tops);
  }
  const tree: Tree = {
    nodes,
    roots: tops.filter(({ isRoot }) => isRoot),
    orphans: tops.filter(({ isRoot }) => !isRoot),
  };
  attachFragments(tree, bySpanId, fragments);
  return tree;
}

/** Answers the nodes without a parent. */
function linkChildren(ordered: readonly TreeNode[]): TreeNode[] {
  const tops: TreeNode[] = [];
  for (const node of ordered) {
    node.children = [];
    node.size = 1;
  }
  for (const node of ordered) (node.parent?.children ?? tops).push(node);
  return tops;
}

/** Follows parents; who comes back to where this walk has been has found a circle, which ends at its earliest span. */
function breakCircles(ordered: readonly TreeNode[]): void {
  const walkOf = new Map<TreeNode, TreeNode>();
  for (const start of ordered) {
    let node: TreeNode | null = start;
    while (node !== null && !walkOf.has(node)) {
      walkOf.set(node, start);
      node = node.parent;
    }
    if (node === null || walkOf.get(node) !== start) continue;
    let earliest = node;
    for (let member = node.parent as TreeNode; member !== node; member = member.parent as TreeNode) {
      if (byStart(member, earliest) < 0) earliest = member;
    }
    earliest.parent = null;
    earliest.isRoot = true;
  }
}

function placeNodes(tops: readonly TreeNode[]): TreeNode[] {
  const nodes: TreeNode[] = [];
  const waiting = tops.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    node.depth = node.parent === null ? (node.isRoot ? 0 : 1) : node.parent.depth + 1;
    node.position = nodes.length;
    nodes.push(node);
    for (let index = node.children.length - 1; index >= 0; index -= 1) waiting.push(node.children[index] as TreeNode);
  }
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const node = nodes[index] as TreeNode;
    if (node.parent !== null) node.parent.size += node.size;
  }
  return nodes;
}

/** A fragment that names no span belongs to each span of its response. */
function attachFragments(
  { nodes }: Tree,
  bySpanId: ReadonlyMap<string, TreeNode>,
  fragments: readonly TreeFragment[],
): void {
  if (fragments.length === 0) return;
  const byResponse = Map.groupBy(nodes, ({ span }) => span.responseId);
  for (const fragment of fragments.toSorted(byTime)) {
    if (fragment.spanId !== null) bySpanId.get(fragment.spanId)?.fragments.push(fragment);
    else if (fragment.responseId !== null) {
      for (const node of byResponse.get(fragment.responseId) ?? []) node.fragments.push(fragment);
    }
  }
}

function byTime(left: TreeFragment, right: TreeFragment): number {
  if (left.timeNano !== right.timeNano) return left.timeNano < right.timeNano ? -1 : 1;
  return left.dk < right.dk ? -1 : 1;
}

/** The nodes below a node, each before its descendants. */
export function descendants({ nodes }: Tree, { position, size }: TreeNode): TreeNode[] {
  return nodes.slice(position + 1, position + size);
}

/** What the span says, else what the first of its fragments says. */
export function saying<Name extends keyof FragmentFacts>(
  node: TreeNode,
  own: FragmentFacts[Name] | null | undefined,
  name: Name,
): NonNullable<FragmentFacts[Name]> | null {
  if (own !== undefined && own !== null) return own;
  for (const { facts } of node.fragments) {
    const said = facts[name];
    if (said !== undefined) return said as NonNullable<FragmentFacts[Name]>;
  }
  return null;
}
