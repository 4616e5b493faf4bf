/** The providers with stored keys, and the member of the API's body for each. */
export const providers = [
  { key: "openai", name: "OpenAI", field: "openaiApiKey", variable: "OPENAI_API_KEY", begins: "sk-" },
  { key: "anthropic", name: "Anthropic", field: "anthropicApiKey", variable: "ANTHROPIC_API_KEY", begins: "sk-ant-" },
  { key: "gemini", name: "Google Gemini", field: "geminiApiKey", variable: "GEMINI_API_KEY", begins: "AIza" },
] as const;

export type Provider = (typeof providers)[number];

/** The name of a provider in the catalogue. */
export function providerName(key: string): string {
  return providers.find((provider) => provider.key === key)?.name ?? "Own endpoint";
}
