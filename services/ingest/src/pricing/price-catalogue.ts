import { builtInPrices, defaultModel } from "./built-in-prices.ts";
import type { ModelPrice } from "./model-price.ts";

/** What a project changed: a price of its own, or a built-in model it took out. */
export type PriceChange = ModelPrice & { isRemoved: boolean };

/** The models a project has prices for, by their ids. */
export type PriceCatalogue = ReadonlyMap<string, ModelPrice>;

/** The built-in prices with the project's changes; the default model first, then by id. */
export function catalogueOf(changes: readonly PriceChange[]): PriceCatalogue {
  const prices = new Map(builtInPrices.map((price) => [price.model, price]));
  for (const { isRemoved, ...price } of changes) {
    if (isRemoved) prices.delete(price.model);
    else prices.set(price.model, price);
  }
  const rank = (model: string): string => `${model === defaultModel ? 0 : 1}${model}`;
  return new Map([...prices].sort(([left], [right]) => (rank(left) < rank(right) ? -1 : 1)));
}

/** By the exact id, else by the id without the date it ends in (completions 11.2). Null = no price. */
export function priceOf(catalogue: PriceCatalogue, model: string): ModelPrice | null {
  return catalogue.get(model) ?? catalogue.get(model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, "")) ?? null;
}
