import { filterInSlices, forEachInSlices, runAtOnce, type Sliced, sortInSlices } from "@touchstone/service-kit";
import type { FragmentFacts } from "../model/incoming-fragment.ts";
import type { OwnFacts } from "../model/own-facts.ts";
import type { TokenList } from "../model/token-list.ts";

/** A span as input of derivation: independent of other spans and of arrival. */
export interface TreeSpan {
  /** Id of its row. */
  id: string;
  spanId: string;
  /** Null, empty or its own id = no parent. */
  parentSpanId: string | null;
  /** It states that its parent is in another process. */
  parentIsRemote: boolean;
  /** It waited long enough for its parent. */
  isPromoted: boolean;
  kind: string;
  /** Null = unknown, which sorts last. */
  startedAtMs: number | null;
  endedAtMs: number | null;
  ownTokens: TokenList | null;
  responseId: string | null;
  facts: OwnFacts;
}

/** A log fragment as input of derivation. */
export interface TreeFragment {
  /** Hash of its content. */
  dk: string;
  spanId: string | null;
  responseId: string | null;
  timeNano: bigint;
  facts: FragmentFacts;
}

/** A span in its tree. */
export interface TreeNode {
  span: TreeSpan;
  /** Null for roots and orphans. */
  parent: TreeNode | null;
  /** Sorted by start. */
  children: TreeNode[];
  isRoot: boolean;
  /** 0 for roots, at least 1 below a missing parent. */
  depth: number;
  /** Number of nodes in its subtree, including itself; they are contiguous in `Tree.nodes`. */
  size: number;
  position: number;
  /** Sorted by time. */
  fragments: TreeFragment[];
}

/** The tree of a trace. */
export interface Tree {
  /** Depth first: each before its descendants, subtrees contiguous, siblings by start. */
  nodes: TreeNode[];
  /** Sorted by start. */
  roots: TreeNode[];
  /** Spans that wait for their parent, sorted by start. */
  orphans: TreeNode[];
}

/** By start, then span id; the one order for all choices and lists. */
export function byStart(left: TreeNode, right: TreeNode): number {
  const leftMs = left.span.startedAtMs ?? Number.POSITIVE_INFINITY;
  const rightMs = right.span.startedAtMs ?? Number.POSITIVE_INFINITY;
  if (leftMs !== rightMs) return leftMs - rightMs;
  return left.span.spanId < right.span.spanId ? -1 : 1;
}

/** The earliest of some nodes, sorted. It sorts few of them at a time: there may be hundreds of thousands. */
export function earliest(nodes: Iterable<TreeNode>, max: number): TreeNode[] {
  let kept: TreeNode[] = [];
  let last: TreeNode | undefined;
  for (const node of nodes) {
    if (last !== undefined && byStart(node, last) >= 0) continue;
    kept.push(node);
    if (kept.length < 2 * max) continue;
    kept = kept.sort(byStart).slice(0, max);
    last = kept.at(-1);
  }
  return kept.sort(byStart).slice(0, max);
}

/**
 * Builds the tree of one trace (otlp 6, Root). A span is a root if it has no parent, if its parent is missing and it
 * was promoted or has a remote parent, or if it is the earliest of a cycle. Span ids are unique among `spans`.
 */
export function growTree(spans: readonly TreeSpan[], fragments: readonly TreeFragment[]): Tree {
  return runAtOnce(growTreeInSlices(spans, fragments));
}

/** As {@link growTree}, with points to pause. */
export function* growTreeInSlices(spans: readonly TreeSpan[], fragments: readonly TreeFragment[]): Sliced<Tree> {
  const bySpanId = new Map<string, TreeNode>();
  yield* forEachInSlices(spans, (span) => {
    const node = { span, parent: null, children: [], isRoot: false, depth: 0, size: 1, position: 0, fragments: [] };
    bySpanId.set(span.spanId, node);
  });
  const ordered = yield* sortInSlices([...bySpanId.values()], byStart);
  yield* forEachInSlices(ordered, (node) => {
    const { parentSpanId, spanId, isPromoted, parentIsRemote } = node.span;
    const hasParent = parentSpanId !== null && parentSpanId !== "" && parentSpanId !== spanId;
    node.parent = hasParent ? (bySpanId.get(parentSpanId) ?? null) : null;
    node.isRoot = !hasParent || (node.parent === null && (isPromoted || parentIsRemote));
  });
  let tops = yield* linkChildren(ordered);
  let nodes = yield* placeNodes(tops);
  if (nodes.length < ordered.length) {
    // Nodes that no top reaches are in a cycle.
    yield* breakCircles(ordered);
    tops = yield* linkChildren(ordered);
    nodes = yield* placeNodes(tops);
  }
  const tree: Tree = {
    nodes,
    roots: yield* filterInSlices(tops, ({ isRoot }) => isRoot),
    orphans: yield* filterInSlices(tops, ({ isRoot }) => !isRoot),
  };
  yield* attachFragments(tree, bySpanId, fragments);
  return tree;
}

/** Returns the nodes without a parent. */
function* linkChildren(ordered: readonly TreeNode[]): Sliced<TreeNode[]> {
  const tops: TreeNode[] = [];
  yield* forEachInSlices(ordered, (node) => {
    node.children = [];
    node.size = 1;
  });
  yield* forEachInSlices(ordered, (node) => {
    (node.parent?.children ?? tops).push(node);
  });
  return tops;
}

/** Follows parents; a walk that returns to its own path has found a cycle, which is cut at its earliest span. */
function* breakCircles(ordered: readonly TreeNode[]): Sliced<void> {
  const walkOf = new Map<TreeNode, TreeNode>();
  for (const start of ordered) {
    let node: TreeNode | null = start;
    while (node !== null && !walkOf.has(node)) {
      walkOf.set(node, start);
      node = node.parent;
      if (walkOf.size % nodesBetween === 0) yield;
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

function* placeNodes(tops: readonly TreeNode[]): Sliced<TreeNode[]> {
  const nodes: TreeNode[] = [];
  const waiting = tops.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    node.depth = node.parent === null ? (node.isRoot ? 0 : 1) : node.parent.depth + 1;
    node.position = nodes.length;
    nodes.push(node);
    for (let index = node.children.length - 1; index >= 0; index -= 1) waiting.push(node.children[index] as TreeNode);
    if (nodes.length % nodesBetween === 0) yield;
  }
  yield* forEachInSlices(fromLast(nodes), (node) => {
    if (node.parent !== null) node.parent.size += node.size;
  });
  return nodes;
}

/** Nodes between two points to pause. */
const nodesBetween = 1_000;

/** The nodes of a tree from the last to the first: each after its descendants. */
export function* fromLast(nodes: readonly TreeNode[]): Generator<TreeNode, void, undefined> {
  for (let index = nodes.length - 1; index >= 0; index -= 1) yield nodes[index] as TreeNode;
}

/** A fragment that names no span belongs to each span with its response id. */
function* attachFragments(
  { nodes }: Tree,
  bySpanId: ReadonlyMap<string, TreeNode>,
  fragments: readonly TreeFragment[],
): Sliced<void> {
  if (fragments.length === 0) return;
  const byResponse = Map.groupBy(nodes, ({ span }) => span.responseId);
  yield* forEachInSlices(yield* sortInSlices(fragments, byTime), (fragment) => {
    if (fragment.spanId !== null) bySpanId.get(fragment.spanId)?.fragments.push(fragment);
    else if (fragment.responseId !== null) {
      for (const node of byResponse.get(fragment.responseId) ?? []) node.fragments.push(fragment);
    }
  });
}

function byTime(left: TreeFragment, right: TreeFragment): number {
  if (left.timeNano !== right.timeNano) return left.timeNano < right.timeNano ? -1 : 1;
  return left.dk < right.dk ? -1 : 1;
}

/** The descendants of a node, each before its own descendants. */
export function descendants({ nodes }: Tree, { position, size }: TreeNode): TreeNode[] {
  return nodes.slice(position + 1, position + size);
}

/** The span's own value, else that of its first fragment that has one. */
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
