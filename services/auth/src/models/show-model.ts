import { type BuiltInModel, defaultPricedModel } from "@touchstone/contracts";
import { maskSecret } from "@touchstone/service-kit";
import type { ModelChange } from "./model.ts";

/** A model of the catalogue; its key masked (completions 11.1). */
export function showModel(model: BuiltInModel | ModelChange) {
  const { baseUrl = null, apiKey = null } = model as Partial<ModelChange>;
  return {
    id: model.model,
    provider: model.provider,
    label: model.label,
    pricePerMInputTokens: model.input,
    pricePerMOutputTokens: model.output,
    pricePerMCacheReadTokens: model.cacheRead,
    pricePerMCacheWriteTokens: model.cacheWrite,
    isDefault: model.model === defaultPricedModel,
    baseUrl,
    apiKeyMasked: apiKey === null ? null : maskSecret(apiKey),
  };
}
