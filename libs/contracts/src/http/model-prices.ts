import { z } from "zod";
import { limits } from "../limits.ts";
import { filledText, storable } from "./texts.ts";

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

const text = filledText.max(limits.indexedTextMaxChars).check(storable);
/** Any value: a provider's model takes no key, and only the handler knows of which model it is. */
const apiKey = z
  .unknown()
  .meta({
    type: ["string", "null"],
    description: "Of a custom model's endpoint; a blank one keeps the stored one while baseUrl stays, null removes it",
  })
  .optional();

const members = {
  provider,
  label: text,
  pricePerMInputTokens: price,
  pricePerMOutputTokens: price,
  pricePerMCacheReadTokens: price.nullish(),
  pricePerMCacheWriteTokens: price.nullish(),
  baseUrl: text
    .optional()
    .catch(undefined)
    .describe("Required of a custom model; what is no such text counts as missing"),
  apiKey,
};

/** Body of `PUT`: missing members are unchanged. */
export const changedModelPrice = z.object(members).partial();

/** Body of `POST`. */
export const submittedModelPrice = z.object({ id: text, ...members });

const prices = "pricePerMInputTokens and pricePerMOutputTokens must be numbers";
const cachePrices = "pricePerMCacheReadTokens and pricePerMCacheWriteTokens must be numbers or null";
export const modelPriceSentences = {
  id: "id is required (the exact model string sent to the provider's API)",
  provider: 'provider must be "openai", "anthropic", "gemini", or "custom"',
  label: "label is required",
  pricePerMInputTokens: prices,
  pricePerMOutputTokens: prices,
  pricePerMCacheReadTokens: cachePrices,
  pricePerMCacheWriteTokens: cachePrices,
  baseUrl: "baseUrl may be anything",
  apiKey: "apiKey may be anything",
} as const;

/** Body of `POST .../test-connection`. */
export const testedConnection = z.object({ baseUrl: text, modelId: text, apiKey });
export const testedConnectionSentences = {
  baseUrl: "baseUrl is required",
  modelId: "modelId is required",
  apiKey: "apiKey may be anything",
} as const;

export const connectionReport = z.object({
  live: z.boolean().describe("The endpoint answers and has the model"),
  error: z.string().optional().describe("Why it is not live"),
  availableModelIds: z.array(z.string()).optional().describe("What the endpoint lists, at most 200"),
});
