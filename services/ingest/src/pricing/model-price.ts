/** What a model costs (completions 11.1): USD per million tokens. */
export interface ModelPrice {
  /** The exact model string that is sent to the provider. */
  model: string;
  provider: "openai" | "anthropic" | "gemini" | "custom";
  label: string;
  input: number;
  output: number;
  /** Null: cached tokens cost what others do. */
  cacheRead: number | null;
  cacheWrite: number | null;
}
