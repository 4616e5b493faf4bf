import type { Secret } from "@touchstone/contracts";
import type { WireApi } from "./request-shape.ts";

/** The providers of judge models. `openai` is the service at OPENAI_BASE_URL. */
export const providerNames = ["openai", "gemini", "anthropic"] as const;
export type ProviderName = (typeof providerNames)[number];

/** The properties of a provider that routing needs. */
export interface Reachable {
  /** It has a key, or is at the operator's own address, which may need none. */
  isUsable: boolean;
  /** It is at the operator's own address. */
  isOwnAddress: boolean;
}

/** One provider of judge models. */
export interface ProviderConfig extends Reachable {
  baseUrl: string;
  /** Null at the operator's own endpoint without a key, and if the provider is not usable. */
  apiKey: Secret | null;
  api: WireApi;
}

/**
 * The provider of a model (completions 7.1), by the prefix of its id. An installation with only its own endpoint uses that for
 * every model: the operator names the models.
 */
export function chooseProvider(model: string, providers: Readonly<Record<ProviderName, Reachable>>): ProviderName {
  const hasOnlyOwn = providers.openai.isOwnAddress && !providers.gemini.isUsable && !providers.anthropic.isUsable;
  if (hasOnlyOwn) return "openai";
  if (model.startsWith("gemini-")) return "gemini";
  return model.startsWith("claude-") ? "anthropic" : "openai";
}
