import { costOf, type ModelPrice } from "@touchstone/contracts";
import { rollTokens } from "../assembly/roll-tokens.ts";
import { descendants, saying, type Tree } from "../assembly/tree.ts";

/**
 * What a span of a trace and all below it cost, in USD (otlp 6, Cost): each call by its own model. What an agent repeats of its calls
 * is theirs; what it reports beyond them is priced by the model it names, and left out where it names none. Null when
 * nothing was used, and when the price of any call is not known: a sum without it would look like the whole.
 */
export function treeCost(tree: Tree, rowId: string, findPrice: (model: string) => ModelPrice | null): number | null {
  const top = tree.nodes.find(({ span }) => span.id === rowId);
  if (top === undefined) return null;
  const rolled = rollTokens(tree);
  let sum: number | null = null;
  for (const node of [top, ...descendants(tree, top)]) {
    const [input, output, cacheRead, cacheWrite] = rolled[node.position]?.net ?? [null, null, null, null];
    if (input === null && output === null) continue;
    const model = saying(node, node.span.facts.model, "model");
    const cost = costOf(model === null ? null : findPrice(model), {
      input,
      // An embedding puts nothing out.
      output: output ?? (node.span.kind === "embedding" ? 0 : null),
      cacheRead,
      cacheWrite,
    });
    const isBeyondItsCalls = node.children.some(({ position }) => rolled[position]?.whole !== null);
    if (cost !== null) sum = (sum ?? 0) + cost;
    else if (!isBeyondItsCalls) return null;
  }
  return sum;
}
