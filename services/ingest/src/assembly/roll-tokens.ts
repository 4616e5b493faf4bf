import { forEachInSlices, runAtOnce, type Sliced } from "@touchstone/service-kit";
import { type TokenList, tokenComponents } from "../model/token-list.ts";
import { fromLast, saying, type Tree, type TreeNode } from "./tree.ts";

const fragmentNames = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

/** The usage of a span and its descendants; null = unknown. */
export interface RolledTokens {
  whole: TokenList | null;
  /**
   * The part of the total that no descendant and no duplicate of the call accounts for. The sum over a tree is the
   * usage of the tree.
   */
  net: TokenList | null;
}

/**
 * The usage of each span with its descendants, by position (otlp 6): for each component the greater of the span's own
 * report and the sum of its children. So an agent that repeats its calls' usage is not counted twice, and a call that
 * was not exported is not lost. A report of an agent's whole life counts only where no child has one. Two
 * instrumentations of one call, siblings with one response id, count once.
 */
export function rollTokens(tree: Tree): RolledTokens[] {
  return runAtOnce(rollTokensInSlices(tree));
}

/** As {@link rollTokens}, with points to pause. */
export function* rollTokensInSlices({ nodes }: Tree): Sliced<RolledTokens[]> {
  const rolled = nodes.map((): RolledTokens => ({ whole: null, net: null }));
  yield* forEachInSlices(fromLast(nodes), (node) => {
    const below = node.children.length === 0 ? null : sumOf(node.children, rolled);
    const own = below !== null && node.span.facts.countsLifetime === true ? null : ownTokens(node);
    const whole = greater(own, below);
    rolled[node.position] = { whole, net: below === null ? whole : without(whole, below) };
  });
  return rolled;
}

function ownTokens(node: TreeNode): TokenList | null {
  const { ownTokens: own } = node.span;
  if (node.fragments.length === 0) return own;
  const counts = fragmentNames.map((name, component) => saying(node, own?.[component], name));
  return counts.some((count) => count !== null) ? (counts as unknown as TokenList) : null;
}

/**
 * The usage of the children together. Of two reports of one call, the second counts only where it exceeds the first.
 */
function sumOf(children: readonly TreeNode[], rolled: readonly RolledTokens[]): TokenList | null {
  let sum: TokenList | null = null;
  let calls: Map<string, TreeNode[]> | null = null;
  for (const child of children) {
    const { whole } = rolled[child.position] as RolledTokens;
    if (whole === null) continue;
    const { kind, responseId } = child.span;
    if (kind === "llm" && child.children.length === 0 && responseId !== null) {
      calls ??= new Map();
      const reports = calls.get(responseId);
      if (reports === undefined) calls.set(responseId, [child]);
      else reports.push(child);
    } else sum = combine(sum, whole, (left, right) => left + right);
  }
  for (const reports of calls?.values() ?? []) {
    const counted = countOnce(reports, rolled);
    if (counted !== null) sum = combine(sum, counted, (left, right) => left + right);
  }
  return sum;
}

/** Returns the usage of one call. Reports that name a model go first: tokens are priced by it. */
function countOnce(reports: readonly TreeNode[], rolled: readonly RolledTokens[]): TokenList | null {
  const namesModel = (node: TreeNode): boolean => saying(node, node.span.facts.model, "model") !== null;
  let counted: TokenList | null = null;
  for (const node of reports.toSorted((left, right) => Number(namesModel(right)) - Number(namesModel(left)))) {
    const of = rolled[node.position] as RolledTokens;
    if (counted !== null) of.net = without(of.whole, counted);
    counted = greater(counted, of.whole);
  }
  return counted;
}

function greater(left: TokenList | null, right: TokenList | null): TokenList | null {
  if (left === null || right === null) return left ?? right;
  return combine(left, right, Math.max);
}

/** The remainder of a total after a part is subtracted; null = nothing. */
function without(whole: TokenList | null, counted: TokenList): TokenList | null {
  if (whole === null) return null;
  const left = whole.map((count, component) =>
    count === null ? null : Math.max(count - (counted[component] ?? 0), 0),
  ) as unknown as TokenList;
  return left.some((count) => count !== null && count > 0) ? left : null;
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
