import type { Secret } from "@touchstone/contracts";
import type { WireApi } from "./request-shape.ts";

/** The providers a judge is asked through. `openai` is whatever OPENAI_BASE_URL points to. */
export const providerNames = ["openai", "gemini", "anthropic"] as const;
export type ProviderName = (typeof providerNames)[number];

/** What routing needs to know of a provider. */
export interface Reachable {
  /** It has a key, or is at an address of the operator's own, which may ask for none. */
  isUsable: boolean;
  /** It is at an address of the operator's own. */
  isOwnAddress: boolean;
}

/** One provider judges are asked through. */
export interface ProviderConfig extends Reachable {
  baseUrl: string;
  /** Null at an endpoint of the operator's own that asks for none, and where the provider is not usable. */
  apiKey: Secret | null;
  api: WireApi;
}

/**
 * Which provider serves a model (completions 7.1), by the beginning of its id. An installation that has nothing but an
 * endpoint of its own is asked there for every model: whoever runs one names the models.
 */
export function chooseProvider(model: string, providers: Readonly<Record<ProviderName, Reachable>>): ProviderName {
  const hasOnlyOwn = providers.openai.isOwnAddress && !providers.gemini.isUsable && !providers.anthropic.isUsable;
  if (hasOnlyOwn) return "openai";
  if (model.startsWith("gemini-")) return "gemini";
  return model.startsWith("claude-") ? "anthropic" : "openai";
}
