import { type TokenList, tokenComponents } from "./token-list.ts";
import { saying, type Tree, type TreeNode } from "./tree.ts";

const fragmentNames = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

/**
 * What each span and all below it used, by its position (otlp 6): of every component the greater of what the span itself reports and the
 * sum of its children. So neither an agent that repeats its calls nor a call that was not exported counts wrong. Two
 * instrumentations of one call, siblings with one response id, count once.
 */
export function rollTokens({ nodes }: Tree): (TokenList | null)[] {
  const rolled = new Array<TokenList | null>(nodes.length).fill(null);
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const node = nodes[index] as TreeNode;
    const own = ownTokens(node);
    const below = node.children.length === 0 ? null : sumOf(node.children, rolled);
    rolled[index] = greater(own, below);
  }
  return rolled;
}

function ownTokens(node: TreeNode): TokenList | null {
  const { ownTokens: own } = node.span;
  if (node.fragments.length === 0) return own;
  const counts = fragmentNames.map((name, component) => saying(node, own?.[component], name));
  return counts.some((count) => count !== null) ? (counts as unknown as TokenList) : null;
}

function sumOf(children: readonly TreeNode[], rolled: readonly (TokenList | null)[]): TokenList | null {
  let sum: TokenList | null = null;
  let calls: Map<string, TokenList> | null = null;
  for (const child of children) {
    const tokens = rolled[child.position] ?? null;
    if (tokens === null) continue;
    const { kind, responseId } = child.span;
    if (kind === "llm" && child.children.length === 0 && responseId !== null) {
      calls ??= new Map();
      calls.set(responseId, greater(calls.get(responseId) ?? null, tokens) as TokenList);
    } else sum = combine(sum, tokens, (left, right) => left + right);
  }
  for (const tokens of calls?.values() ?? []) sum = combine(sum, tokens, (left, right) => left + right);
  return sum;
}

function greater(left: TokenList | null, right: TokenList | null): TokenList | null {
  if (left === null || right === null) return left ?? right;
  return combine(left, right, Math.max);
}

function combine(left: TokenList | null, right: TokenList, choose: (left: number, right: number) => number): TokenList {
  if (left === null) return right;
  const counts: (number | null)[] = [];
  for (let component = 0; component < tokenComponents; component += 1) {
    const [one, other] = [left[component] ?? null, right[component] ?? null];
    counts.push(one === null || other === null ? (one ?? other) : choose(one, other));
  }
  return counts as unknown as TokenList;
}
