import { defaultModel } from "../../pricing/built-in-prices.ts";
import type { ModelPrice } from "../../pricing/model-price.ts";

/** A model of the catalogue (completions 11.1). Connections of models are not part of this version. */
export function showModel(price: ModelPrice) {
  return {
    id: price.model,
    provider: price.provider,
    label: price.label,
    pricePerMInputTokens: price.input,
    pricePerMOutputTokens: price.output,
    pricePerMCacheReadTokens: price.cacheRead,
    pricePerMCacheWriteTokens: price.cacheWrite,
    isDefault: price.model === defaultModel,
    baseUrl: null,
    apiKeyMasked: null,
  };
}
