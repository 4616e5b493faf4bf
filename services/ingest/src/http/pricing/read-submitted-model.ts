import { limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { ModelPrice } from "../../pricing/model-price.ts";

type Submitted = Readonly<Record<string, unknown>>;

const providers: readonly unknown[] = ["openai", "anthropic", "gemini", "custom"];

/** A new model; refuses in the words of completions 11.1. */
export function readNewModel(body: unknown): ModelPrice {
  const submitted = asObject(body);
  const { id, provider, label, baseUrl } = submitted;
  if (!isText(id)) refuse("id is required (the exact model string sent to the provider's API)");
  requireProvider(provider);
  if (!isText(label)) refuse("label is required");
  const { pricePerMInputTokens: input, pricePerMOutputTokens: output } = submitted;
  if (!isPrice(input) || !isPrice(output)) refuse("pricePerMInputTokens and pricePerMOutputTokens must be numbers");
  if (provider === "custom" && !isText(baseUrl)) refuse("baseUrl is required for a custom model");
  return {
    model: id,
    provider,
    label,
    input,
    output,
    ...readCachePrices(submitted, { cacheRead: null, cacheWrite: null }),
  };
}

/** A model as it is after a change; what the body leaves out stays. */
export function readChangedModel(body: unknown, before: ModelPrice): ModelPrice {
  const submitted = asObject(body);
  const {
    provider = before.provider,
    label = before.label,
    pricePerMInputTokens: input = before.input,
    pricePerMOutputTokens: output = before.output,
  } = submitted;
  requireProvider(provider);
  if (!isText(label)) refuse("label is required");
  if (!isPrice(input) || !isPrice(output)) refuse("pricePerMInputTokens and pricePerMOutputTokens must be numbers");
  return { model: before.model, provider, label, input, output, ...readCachePrices(submitted, before) };
}

function readCachePrices(
  submitted: Submitted,
  before: Pick<ModelPrice, "cacheRead" | "cacheWrite">,
): Pick<ModelPrice, "cacheRead" | "cacheWrite"> {
  const {
    pricePerMCacheReadTokens: cacheRead = before.cacheRead,
    pricePerMCacheWriteTokens: cacheWrite = before.cacheWrite,
  } = submitted;
  if ((cacheRead !== null && !isPrice(cacheRead)) || (cacheWrite !== null && !isPrice(cacheWrite))) {
    refuse("pricePerMCacheReadTokens and pricePerMCacheWriteTokens must be numbers or null");
  }
  return { cacheRead, cacheWrite };
}

function requireProvider(provider: unknown): asserts provider is ModelPrice["provider"] {
  if (!providers.includes(provider)) refuse('provider must be "openai", "anthropic", "gemini", or "custom"');
}

function asObject(body: unknown): Submitted {
  return typeof body === "object" && body !== null ? (body as Submitted) : {};
}

function isText(value: unknown): value is string {
  const isString = typeof value === "string" && value.trim() !== "" && value.length <= limits.indexedTextMaxChars;
  return isString && value.isWellFormed() && !value.includes("\0");
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function refuse(sentence: string): never {
  throw new AppError("bad_request", sentence);
}
