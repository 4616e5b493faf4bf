import type { components } from "../api/schema.gen.d.ts";

export type OutlineSpan = components["schemas"]["TraceOutline"]["spans"][number];

/**
 * An anomaly in the place of a span, which is drawn and marked: its parent never arrived, it is its own ancestor, it starts
 * before its parent, or it ends after its parent.
 */
export type Oddity = "orphan" | "cycle" | "early" | "outlives";

/** A span with its position in the tree. */
export interface TreeNode {
  span: OutlineSpan;
  depth: number;
  /** Index of the parent in `nodes`; -1 for a root. */
  parent: number;
  /** Index after the last descendant: `end - index - 1` spans are below. */
  end: number;
  /** The number of failed spans below. */
  errorsBelow: number;
  oddities: readonly Oddity[];
}

export interface TraceTree {
  /** Parents before their children, children ordered by start. */
  nodes: readonly TreeNode[];
  /** From the first start to the last end, in milliseconds after the start of the requested span. */
  fromMs: number;
  toMs: number;
}

/** Tolerance for the clocks of one machine, in milliseconds; smaller differences are not anomalies. */
const toleranceMs = 1;
const none = -1;

/**
 * Builds the tree of an outline. Every span is in it exactly once, whatever its parent: a span whose parent is missing is a root,
 * and a cycle is broken at the member that starts first.
 */
export function buildTree(spans: readonly OutlineSpan[]): TraceTree {
  const { parents, marks } = findParents(spans);
  openCircles(parents, marks);
  const nodes = layOut(spans, parents, marks);
  let fromMs = 0;
  let toMs = 0;
  for (const { offsetMs, latencyMs } of spans) {
    fromMs = Math.min(fromMs, offsetMs);
    toMs = Math.max(toMs, offsetMs + (latencyMs ?? 0));
  }
  // A trace of zero duration needs a period to be drawn in.
  if (toMs === fromMs) toMs = fromMs + 1;
  return { nodes, fromMs, toMs };
}

/** The index in `nodes` of a span by its id; -1 if it is missing. */
export function indexOfSpan({ nodes }: TraceTree, spanId: string | undefined): number {
  return nodes.findIndex(({ span }) => span._id === spanId);
}

type Marks = (Oddity | undefined)[];

/** The index of each span's parent. Of two spans with the same id the first is the parent. */
function findParents(spans: readonly OutlineSpan[]): { parents: number[]; marks: Marks } {
  const byId = new Map<string, number>();
  // In reverse order, so that the first one remains.
  for (let index = spans.length - 1; index >= 0; index--) {
    const { spanId } = spans[index] as OutlineSpan;
    if (spanId !== null) byId.set(spanId, index);
  }
  const marks: Marks = new Array(spans.length);
  const parents = spans.map(({ parentSpanId }, index) => {
    if (parentSpanId === null) return none;
    const parent = byId.get(parentSpanId);
    if (parent !== undefined) return parent;
    // The parent of the requested span is outside the request, so that span is no orphan.
    if (index > 0) marks[index] = "orphan";
    return none;
  });
  return { parents, marks };
}

/** Turns the first span of each cycle of parents into a root. */
function openCircles(parents: number[], marks: Marks): void {
  const seenFrom = new Int32Array(parents.length).fill(none);
  for (let start = 0; start < parents.length; start++) {
    let at = start;
    while (at !== none && seenFrom[at] === none) {
      seenFrom[at] = start;
      at = parents[at] as number;
    }
    if (at === none || seenFrom[at] !== start) continue;
    let first = at;
    for (let member = parents[at] as number; member !== at; member = parents[member] as number) {
      first = Math.min(first, member);
    }
    parents[first] = none;
    marks[first] = "cycle";
  }
}

function layOut(spans: readonly OutlineSpan[], parents: readonly number[], marks: Marks): TreeNode[] {
  const { firstChild, nextSibling, firstRoot } = linkChildren(parents);
  const nodes: TreeNode[] = [];
  // The position in `nodes` of the next span's ancestors; iterative, because a chain may be 50,000 deep.
  const placeOf = new Int32Array(spans.length);
  for (let at = firstRoot; at !== none; ) {
    const parent = parents[at] === none ? none : (placeOf[parents[at] as number] as number);
    placeOf[at] = nodes.length;
    nodes.push(toNode(spans[at] as OutlineSpan, parent, nodes[parent], marks[at]));
    let next = firstChild[at] as number;
    for (let last = at; next === none && last !== none; last = parents[last] as number)
      next = nextSibling[last] as number;
    at = next;
  }
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index] as TreeNode;
    node.end = Math.max(node.end, index + 1);
    const above = nodes[node.parent];
    if (above === undefined) continue;
    above.end = Math.max(above.end, node.end);
    above.errorsBelow += node.errorsBelow + (node.span.hasError ? 1 : 0);
  }
  return nodes;
}

const unremarkable: readonly Oddity[] = [];
const early: readonly Oddity[] = ["early"];
const outlives: readonly Oddity[] = ["outlives"];
const earlyAndOutlives: readonly Oddity[] = ["early", "outlives"];

function toNode(span: OutlineSpan, parent: number, above: TreeNode | undefined, mark: Oddity | undefined): TreeNode {
  const skewed = above === undefined ? unremarkable : skews(span, above.span);
  const oddities = mark === undefined ? skewed : [mark, ...skewed];
  return { span, depth: above === undefined ? 0 : above.depth + 1, parent, end: 0, errorsBelow: 0, oddities };
}

/** The children of each span, and the roots, as linked lists in the order of `parents`. */
function linkChildren(parents: readonly number[]) {
  const firstChild = new Int32Array(parents.length).fill(none);
  const nextSibling = new Int32Array(parents.length).fill(none);
  let firstRoot = none;
  for (let index = parents.length - 1; index >= 0; index--) {
    const parent = parents[index] as number;
    nextSibling[index] = parent === none ? firstRoot : (firstChild[parent] as number);
    if (parent === none) firstRoot = index;
    else firstChild[parent] = index;
  }
  return { firstChild, nextSibling, firstRoot };
}

function skews(span: OutlineSpan, parent: OutlineSpan): readonly Oddity[] {
  const isEarly = span.offsetMs < parent.offsetMs - toleranceMs;
  // An unfinished span ends after everything else.
  const parentEndMs = parent.latencyMs === null ? Number.POSITIVE_INFINITY : parent.offsetMs + parent.latencyMs;
  const isLate = span.latencyMs !== null && span.offsetMs + span.latencyMs > parentEndMs + toleranceMs;
  if (isEarly) return isLate ? earlyAndOutlives : early;
  return isLate ? outlives : unremarkable;
}

/** The depth of the deepest span with children; 0 if only roots have children. */
export function foldableDepth(tree: TraceTree): number {
  return tree.nodes.reduce((most, { depth, end }, index) => (end > index + 1 ? Math.max(most, depth) : most), 0);
}
