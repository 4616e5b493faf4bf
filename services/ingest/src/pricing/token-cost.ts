import type { ModelPrice } from "./model-price.ts";

/** Null = not known. Cached tokens are part of the input. */
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
