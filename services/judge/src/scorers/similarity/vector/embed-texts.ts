import type { CallOptions } from "../../../providers/provider.ts";
import type { ResolveModel } from "../../../providers/resolve-model.ts";

/**
 * One embedding for each text, in order, by one call; a null model is the default one. Null = no provider can be called.
 * Rejects when the provider fails.
 */
export type EmbedTexts = (
  texts: readonly string[],
  model: string | null,
  options: CallOptions,
) => Promise<readonly (readonly number[])[] | null>;

/** completions 6.5. */
const defaultEmbeddingModel = "text-embedding-3-small";

/** Embeds through the provider that serves the model. */
export function createEmbedder(resolveModel: ResolveModel): EmbedTexts {
  return async (texts, model, options) => {
    const asked = model ?? defaultEmbeddingModel;
    const { provider } = await resolveModel(asked, options);
    return provider === null ? null : provider.embed(texts, asked, options);
  };
}
