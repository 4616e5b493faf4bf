import { z } from "zod";

const provider = z.enum(["openai", "anthropic", "gemini", "custom"]);
const price = z.number().nonnegative().describe("USD per million tokens");

/** A model of the price catalogue (completions 11.1). */
export const modelPrice = z.object({
  id: z.string(),
  provider,
  label: z.string(),
  pricePerMInputTokens: price,
  pricePerMOutputTokens: price,
  pricePerMCacheReadTokens: price.nullable(),
  pricePerMCacheWriteTokens: price.nullable(),
  isDefault: z.boolean(),
  baseUrl: z.null().describe("Connections of models are not part of this version"),
  apiKeyMasked: z.null(),
});

export const modelPriceReply = z.object({ model: modelPrice });
export const modelPriceList = z.object({ models: z.array(modelPrice) });
export const unpricedModels = z.object({ models: z.array(z.string()) });
export const modelParams = z.object({ modelId: z.string() });
export const deletedModel = z.object({ success: z.literal(true) });

/** Body of `PUT`: what it leaves out stays. */
export const changedModelPrice = z.object({
  provider: provider.optional(),
  label: z.string().min(1).optional(),
  pricePerMInputTokens: price.optional(),
  pricePerMOutputTokens: price.optional(),
  pricePerMCacheReadTokens: price.nullish(),
  pricePerMCacheWriteTokens: price.nullish(),
});

/** Body of `POST`. `baseUrl` is checked and not kept: connections of models are not part of this version. */
export const submittedModelPrice = z.object({
  id: z.string().min(1).max(512),
  provider,
  label: z.string().min(1),
  pricePerMInputTokens: price,
  pricePerMOutputTokens: price,
  pricePerMCacheReadTokens: price.nullish(),
  pricePerMCacheWriteTokens: price.nullish(),
  baseUrl: z.string().optional().describe("Required of a custom model"),
});
