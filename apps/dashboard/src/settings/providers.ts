/** The providers whose keys are stored, with the member of the API's body that carries one. */
export const providers = [
  { key: "openai", name: "OpenAI", field: "openaiApiKey", variable: "OPENAI_API_KEY", begins: "sk-" },
  { key: "anthropic", name: "Anthropic", field: "anthropicApiKey", variable: "ANTHROPIC_API_KEY", begins: "sk-ant-" },
  { key: "gemini", name: "Google Gemini", field: "geminiApiKey", variable: "GEMINI_API_KEY", begins: "AIza" },
] as const;

export type Provider = (typeof providers)[number];

/** The name of a provider as the catalogue writes it. */
export function providerName(key: string): string {
  return providers.find((provider) => provider.key === key)?.name ?? "Own endpoint";
}
