import type { ModelPrice } from "./model-price.ts";

/** Offered first. */
export const defaultModel = "claude-sonnet-5";

/** The prices every project begins with (completions 11.1, seed prices). */
export const builtInPrices: readonly ModelPrice[] = [
  row("openai", "gpt-5.6-sol", "GPT-5.6 Sol", 5, 30),
  row("openai", "gpt-5.6-terra", "GPT-5.6 Terra", 2, 12),
  row("openai", "gpt-5.6-luna", "GPT-5.6 Luna", 0.2, 1.2),
  row("openai", "gpt-4o-mini", "GPT-4o mini", 0.15, 0.6, 0.075),
  row("anthropic", "claude-fable-5", "Claude Fable 5", 10, 50),
  row("anthropic", "claude-opus-5", "Claude Opus 5", 5, 25),
  row("anthropic", "claude-sonnet-5", "Claude Sonnet 5", 3, 15, 0.3, 3.75),
  row("anthropic", "claude-haiku-4-5", "Claude Haiku 4.5", 1, 5, 0.1, 1.25),
  row("gemini", "gemini-2.5-pro", "Gemini 2.5 Pro", 1.25, 10),
  row("gemini", "gemini-2.5-flash", "Gemini 2.5 Flash", 0.3, 2.5),
];

function row(
  provider: ModelPrice["provider"],
  model: string,
  label: string,
  input: number,
  output: number,
  cacheRead: number | null = null,
  cacheWrite: number | null = null,
): ModelPrice {
  return { model, provider, label, input, output, cacheRead, cacheWrite };
}
