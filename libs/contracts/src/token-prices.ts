import type { PriceChange } from "./bus/model-prices.v1.ts";
import { catalogueOf } from "./model-catalogue.ts";

/** The price of a model (completions 11.1): USD per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Null: cached tokens cost as much as others. */
  cacheRead: number | null;
  cacheWrite: number | null;
}

/** By the exact id, else by the id without its date suffix (completions 11.2). Null = no price. */
export type FindPrice = (model: string) => ModelPrice | null;

/** The built-in prices with their changes. */
export function priceFinder(changes: readonly PriceChange[]): FindPrice {
  const catalogue = catalogueOf(changes);
  return (model) => catalogue.get(model) ?? catalogue.get(model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, "")) ?? null;
}

/** Null = unknown. Cached tokens are part of the input. */
export interface PricedTokens {
  input: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
}

/** USD, not rounded; each cached token counts once. Null without a price or without either count (completions 11.2). */
export function costOf(price: ModelPrice | null, tokens: PricedTokens): number | null {
  const { input, output } = tokens;
  if (price === null || input === null || output === null) return null;
  const cacheRead = tokens.cacheRead ?? 0;
  const cacheWrite = tokens.cacheWrite ?? 0;
  const fresh = Math.max(input - cacheRead - cacheWrite, 0);
  const millionths =
    fresh * price.input +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input) +
    output * price.output;
  return millionths / 1_000_000;
}
