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
