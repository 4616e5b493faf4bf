import type { ProviderKeys, ShownLlmKeys } from "@touchstone/contracts";
import { maskSecret } from "@touchstone/service-kit";

/** Stored provider keys as the API shows them (completions 11.1, 11.3). */
export function showLlmKeys({ openai, anthropic, gemini }: ProviderKeys): ShownLlmKeys {
  return { openai: show(openai), anthropic: show(anthropic), gemini: show(gemini) };
}

function show(key: string | null): ShownLlmKeys["openai"] {
  return { configured: key !== null, masked: key === null ? null : maskSecret(key) };
}
