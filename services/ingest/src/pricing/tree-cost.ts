import { saying, type Tree, type TreeNode } from "../trees/tree.ts";
import type { ModelPrice } from "./model-price.ts";
import { costOf } from "./token-cost.ts";

/** USD; `unknown`: tokens were used whose price is not known. */
type Cost = number | "unknown";

/**
 * What a span of a trace and all below it cost (otlp 6, Cost): each call by its own model, of a parent and its children
 * the greater, since agents often repeat their calls. Null when nothing was used, and when the price of any call is not
 * known: a sum without it would look like the whole.
 */
export function treeCost(
  { nodes }: Tree,
  rowId: string,
  findPrice: (model: string) => ModelPrice | null,
): number | null {
  const costs = new Map<TreeNode, Cost>();
  for (const node of nodes.toReversed()) {
    const own = ownCost(node, findPrice);
    const below = costBelow(node, costs);
    const cost = below === null ? own : greater(typeof own === "number" ? own : null, below);
    if (cost !== null) costs.set(node, cost);
  }
  const top = nodes.find(({ span }) => span.id === rowId);
  const cost = top === undefined ? undefined : costs.get(top);
  return typeof cost === "number" ? cost : null;
}

function ownCost(node: TreeNode, findPrice: (model: string) => ModelPrice | null): Cost | null {
  const [input, output, cacheRead, cacheWrite] = node.span.ownTokens ?? [];
  const tokens = {
    input: saying(node, input, "inputTokens"),
    output: saying(node, output, "outputTokens"),
    cacheRead: saying(node, cacheRead, "cacheReadTokens"),
    cacheWrite: saying(node, cacheWrite, "cacheWriteTokens"),
  };
  if (tokens.input === null && tokens.output === null) return null;
  // An embedding puts nothing out.
  if (node.span.kind === "embedding") tokens.output ??= 0;
  const model = saying(node, node.span.facts.model, "model");
  return costOf(model === null ? null : findPrice(model), tokens) ?? "unknown";
}

/** Two instrumentations of one call, siblings with one response id, count once. Null = nothing was used. */
function costBelow(node: TreeNode, costs: ReadonlyMap<TreeNode, Cost>): Cost | null {
  let sum: Cost | null = null;
  const calls = new Map<string, Cost>();
  for (const child of node.children) {
    const cost = costs.get(child);
    if (cost === undefined) continue;
    const { kind, responseId } = child.span;
    if (kind === "llm" && child.children.length === 0 && responseId !== null) {
      calls.set(responseId, greaterCall(calls.get(responseId) ?? null, cost));
    } else sum = add(sum, cost);
  }
  for (const cost of calls.values()) sum = add(sum, cost);
  return sum;
}

function add(left: Cost | null, right: Cost): Cost {
  if (left === null) return right;
  return left === "unknown" || right === "unknown" ? "unknown" : left + right;
}

function greater(own: number | null, below: Cost): Cost {
  return below === "unknown" || own === null ? below : Math.max(own, below);
}

/** Of two tellings of one call the one that knows. */
function greaterCall(left: Cost | null, right: Cost): Cost {
  if (left === null || left === "unknown") return right;
  return right === "unknown" ? left : Math.max(left, right);
}
