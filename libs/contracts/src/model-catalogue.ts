/** The provider of a built-in model. */
export type BuiltInProvider = "openai" | "anthropic" | "gemini";

/** A model that every catalogue starts with (completions 11.1, seed prices). Prices are USD per million tokens. */
export interface BuiltInModel {
  /** The exact model string that is sent to the provider. */
  model: string;
  provider: BuiltInProvider;
  label: string;
  input: number;
  output: number;
  /** Null: cached tokens cost as much as others. */
  cacheRead: number | null;
  cacheWrite: number | null;
}

/** Listed first. */
export const defaultPricedModel = "claude-sonnet-5";

/** The built-in models, shared by the catalogue (auth) and the cost of traces (ingest). */
export const builtInModels: readonly BuiltInModel[] = [
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
  provider: BuiltInProvider,
  model: string,
  label: string,
  input: number,
  output: number,
  cacheRead: number | null = null,
  cacheWrite: number | null = null,
): BuiltInModel {
  return { model, provider, label, input, output, cacheRead, cacheWrite };
}

/** The built-in models with their changes: the default model first, then by id. Removed ones are left out. */
export function catalogueOf<Change extends { model: string; isRemoved: boolean }>(
  changes: readonly Change[],
): Map<string, BuiltInModel | Change> {
  const models = new Map<string, BuiltInModel | Change>(builtInModels.map((one) => [one.model, one]));
  for (const change of changes) {
    if (change.isRemoved) models.delete(change.model);
    else models.set(change.model, change);
  }
  const rank = (model: string): string => `${model === defaultPricedModel ? 0 : 1}${model}`;
  return new Map([...models].sort(([left], [right]) => (rank(left) < rank(right) ? -1 : 1)));
}
