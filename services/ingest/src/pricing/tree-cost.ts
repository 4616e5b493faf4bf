import { costOf, type ModelPrice } from "@touchstone/contracts";
import { rollTokens } from "../assembly/roll-tokens.ts";
import { descendants, saying, type Tree } from "../assembly/tree.ts";

/**
 * The cost of a span and its descendants in USD (otlp 6, Cost): each call at the price of its model. An agent's
 * repeated usage belongs to its calls; the excess is priced by the model that the agent names, and left out if it names
 * none. Null if nothing was used, and if the price of any call is unknown: a partial sum would look complete.
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
      output: billedOutput(node.span.kind, output),
      cacheRead,
      cacheWrite,
    });
    const isBeyondItsCalls = node.children.some(({ position }) => rolled[position]?.whole !== null);
    if (cost !== null) sum = (sum ?? 0) + cost;
    else if (!isBeyondItsCalls) return null;
  }
  return sum;
}

/** The output tokens that are priced: an embedding has none. */
export function billedOutput(kind: string, output: number | null): number | null {
  return output ?? (kind === "embedding" ? 0 : null);
}
