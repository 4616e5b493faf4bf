import type { TraceTree, TreeNode } from "./trace-tree.ts";

/** The folded spans, as terms in the URL: `d2` folds everything from depth 2 on, an id toggles one span. */
export interface Folds {
  fromDepth: number;
  turned: ReadonlySet<string>;
}

export function readFolds(words: readonly string[] = []): Folds {
  const depths = words.map((word) => /^d(\d{1,4})$/.exec(word)?.[1]).filter((depth) => depth !== undefined);
  return {
    fromDepth: depths[0] === undefined ? Number.POSITIVE_INFINITY : Number(depths[0]),
    turned: new Set(words.filter((word) => !/^d\d+$/.test(word))),
  };
}

export function printFolds({ fromDepth, turned }: Folds): string[] {
  return [...(Number.isFinite(fromDepth) ? [`d${fromDepth}`] : []), ...turned];
}

export function isFolded({ fromDepth, turned }: Folds, { span, depth }: TreeNode): boolean {
  return depth >= fromDepth !== turned.has(span._id);
}

/** The folds with one span folded or unfolded. */
export function withFold(folds: Folds, node: TreeNode, fold: boolean): Folds {
  if (isFolded(folds, node) === fold) return folds;
  const turned = new Set(folds.turned);
  if (!turned.delete(node.span._id)) turned.add(node.span._id);
  return { ...folds, turned };
}

/** The folds with all ancestors of a span open, so that it is visible. */
export function withRevealed(folds: Folds, tree: TraceTree, index: number): Folds {
  return ancestorsOf(tree, index).reduce((kept, above) => withFold(kept, tree.nodes[above] as TreeNode, false), folds);
}

/** Indices of the visible spans, from the top. */
export function visibleRows(tree: TraceTree, folds: Folds): number[] {
  if (!Number.isFinite(folds.fromDepth) && folds.turned.size === 0) return tree.nodes.map((_, index) => index);
  const rows: number[] = [];
  for (let index = 0; index < tree.nodes.length; ) {
    const node = tree.nodes[index] as TreeNode;
    rows.push(index);
    index = node.end > index + 1 && isFolded(folds, node) ? node.end : index + 1;
  }
  return rows;
}

/** Indices of a span's ancestors, the root first. */
export function ancestorsOf(tree: TraceTree, index: number): number[] {
  const found: number[] = [];
  for (let above = tree.nodes[index]?.parent ?? -1; above !== -1; above = tree.nodes[above]?.parent ?? -1)
    found.push(above);
  return found.reverse();
}

/** The next failed span after one, or before it with a step of -1, with wrap-around; null if none failed. */
export function nextError(tree: TraceTree, from: number, step: 1 | -1 = 1): number | null {
  const { length } = tree.nodes;
  for (let count = 1; count <= length; count++) {
    const index = (((from + step * count) % length) + length) % length;
    if (tree.nodes[index]?.span.hasError) return index;
  }
  return null;
}

const nearLevels = 6;
const nearIndent = 14;
const farIndent = 4;

/**
 * The indentation of a row in pixels, relative to the shallowest visible row: 14 a level at first, then 4, and at
 * most `most`.
 */
export function indentOf(depth: number, shallowest: number, most: number): number {
  const levels = Math.max(0, depth - shallowest);
  const wanted = Math.min(levels, nearLevels) * nearIndent + Math.max(0, levels - nearLevels) * farIndent;
  return Math.max(0, Math.min(wanted, most));
}
