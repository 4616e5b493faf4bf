import type { components } from "../api/schema.gen.d.ts";

export type OutlineSpan = components["schemas"]["TraceOutline"]["spans"][number];

/**
 * What is odd about the place of a span. It is drawn all the same, and marked: its parent never arrived, it is its own
 * ancestor, it starts before its parent, it ends after its parent.
 */
export type Oddity = "orphan" | "cycle" | "early" | "outlives";

/** A span at its place in the tree. */
export interface TreeNode {
  span: OutlineSpan;
  depth: number;
  /** Index of the parent in `nodes`; -1 of a root. */
  parent: number;
  /** Index behind the last descendant: `end - index - 1` spans are below. */
  end: number;
  /** How many of the spans below failed. */
  errorsBelow: number;
  oddities: readonly Oddity[];
}

export interface TraceTree {
  /** Parents before their children, children by start. */
  nodes: readonly TreeNode[];
  /** Index in `nodes` by the id of the span. */
  indexOf: ReadonlyMap<string, number>;
  /** From the first start to the last end, in milliseconds after the start of the asked span. */
  fromMs: number;
  toMs: number;
}

/** Clocks of one machine agree to this many milliseconds; less is not called odd. */
const toleranceMs = 1;
const none = -1;

/**
 * The tree of an outline. Every span is in it exactly once, whatever the parents say: a span whose parent is not there is
 * a root, and a circle is opened at the member that starts first.
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
  // Something that took no time still needs a stretch to be drawn in.
  if (toMs === fromMs) toMs = fromMs + 1;
  return { nodes, indexOf: new Map(nodes.map(({ span }, index) => [span._id, index])), fromMs, toMs };
}

type Marks = (Oddity | undefined)[];

/** The index of each span's parent. Of two spans with one id the first is the parent. */
function findParents(spans: readonly OutlineSpan[]): { parents: number[]; marks: Marks } {
  const byId = new Map<string, number>();
  for (const [index, { spanId }] of spans.entries()) {
    if (spanId !== null && !byId.has(spanId)) byId.set(spanId, index);
  }
  const marks: Marks = new Array(spans.length);
  const parents = spans.map(({ parentSpanId }, index) => {
    if (parentSpanId === null) return none;
    const parent = byId.get(parentSpanId);
    if (parent !== undefined) return parent;
    // What is above the asked span was not asked for.
    if (index > 0) marks[index] = "orphan";
    return none;
  });
  return { parents, marks };
}

/** Makes roots of the first span of each circle of parents. */
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
  const children = childrenInOrder(parents);
  const nodes: TreeNode[] = [];
  // Pushed in reverse, so that the first child is taken first. A stack, because a chain may be 50,000 deep.
  const waiting: { index: number; parent: number }[] = children.roots
    .toReversed()
    .map((index) => ({ index, parent: none }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { index, parent } = next;
    const span = spans[index] as OutlineSpan;
    const above = nodes[parent];
    const mark = marks[index];
    const oddities = [...(mark === undefined ? [] : [mark]), ...(above === undefined ? [] : skews(span, above.span))];
    const place =
      nodes.push({ span, depth: above === undefined ? 0 : above.depth + 1, parent, end: 0, errorsBelow: 0, oddities }) -
      1;
    const below = children.of(index);
    for (let child = below.length - 1; child >= 0; child--)
      waiting.push({ index: below[child] as number, parent: place });
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

function childrenInOrder(parents: readonly number[]): { roots: number[]; of(index: number): readonly number[] } {
  const lists = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) {
    const list = lists.get(parent);
    if (list === undefined) lists.set(parent, [index]);
    else list.push(index);
  }
  return { roots: lists.get(none) ?? [], of: (index) => lists.get(index) ?? [] };
}

function skews(span: OutlineSpan, parent: OutlineSpan): Oddity[] {
  const found: Oddity[] = [];
  if (span.offsetMs < parent.offsetMs - toleranceMs) found.push("early");
  if (span.latencyMs === null || parent.latencyMs === null) return found;
  if (span.offsetMs + span.latencyMs > parent.offsetMs + parent.latencyMs + toleranceMs) found.push("outlives");
  return found;
}
