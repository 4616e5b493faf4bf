/** What a model costs (completions 11.1): USD per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Null: cached tokens cost what others do. */
  cacheRead: number | null;
  cacheWrite: number | null;
}
