import { catalogueOf, type PriceChange } from "@touchstone/contracts";
import type { ModelPrice } from "./model-price.ts";

/** By the exact id, else by the id without the date it ends in (completions 11.2). Null = no price. */
export type FindPrice = (model: string) => ModelPrice | null;

/** The built-in prices with what was changed of them. */
export function priceFinder(changes: readonly PriceChange[]): FindPrice {
  const catalogue = catalogueOf(changes);
  return (model) => catalogue.get(model) ?? catalogue.get(model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, "")) ?? null;
}
