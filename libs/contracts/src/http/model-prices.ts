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
  baseUrl: z.string().nullable().describe("Of a custom model: an OpenAI-compatible endpoint"),
  apiKeyMasked: z.string().nullable(),
});

export const modelPriceReply = z.object({ model: modelPrice });
export const modelPriceList = z.object({ models: z.array(modelPrice) });
export const unpricedModels = z.object({ models: z.array(z.string()) });
export const modelParams = z.object({ modelId: z.string() });
export const deletedModel = z.object({ success: z.literal(true) });

/** Body of `PUT`: missing members are unchanged. */
export const changedModelPrice = z.object({
  provider: provider.optional(),
  label: z.string().min(1).optional(),
  pricePerMInputTokens: price.optional(),
  pricePerMOutputTokens: price.optional(),
  pricePerMCacheReadTokens: price.nullish(),
  pricePerMCacheWriteTokens: price.nullish(),
  baseUrl: z.string().optional(),
  apiKey: z.string().nullish().describe("Blank keeps the stored one; null removes it"),
});

/** Body of `POST`. */
export const submittedModelPrice = z.object({
  id: z.string().min(1).max(512),
  provider,
  label: z.string().min(1),
  pricePerMInputTokens: price,
  pricePerMOutputTokens: price,
  pricePerMCacheReadTokens: price.nullish(),
  pricePerMCacheWriteTokens: price.nullish(),
  baseUrl: z.string().optional().describe("Required of a custom model"),
  apiKey: z.string().nullish().describe("Of a custom model's endpoint, where it asks for one"),
});

/** Body of `POST .../test-connection`. */
export const testedConnection = z.object({
  baseUrl: z.string().min(1),
  modelId: z.string().min(1),
  apiKey: z.string().nullish(),
});

export const connectionReport = z.object({
  live: z.boolean().describe("The endpoint answers and has the model"),
  error: z.string().optional().describe("Why it is not live"),
  availableModelIds: z.array(z.string()).optional().describe("What the endpoint lists, at most 200"),
});
