import type { Provider } from "../../../providers/provider.ts";
import type { EmbedPair } from "../score-similarity.ts";

/** completions 6.5. */
const defaultEmbeddingModel = "text-embedding-3-small";

/** Embeds through the judge's provider. Without one it rejects, and the metric is null. */
export function createEmbedder(provider: Provider | null): EmbedPair {
  return async (texts, model, options) => {
    if (provider === null) throw new Error("no provider to embed with");
    const [candidate, reference] = await provider.embed(texts, model ?? defaultEmbeddingModel, options);
    return [candidate ?? [], reference ?? []];
  };
}
