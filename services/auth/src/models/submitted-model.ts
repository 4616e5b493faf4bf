import { isStorable, limits } from "@touchstone/contracts";
import { AppError, OutboundError, type OutboundReach, readOutboundUrl } from "@touchstone/service-kit";
import type { ModelChange } from "./model.ts";

type Submitted = Readonly<Record<string, unknown>>;

const providers: readonly unknown[] = ["openai", "anthropic", "gemini", "custom"];
/** Longer than the keys of all providers. */
const keyMaxChars = 500;

/** A new model; throws the errors of completions 11.1. */
export function readNewModel(body: unknown, reach: OutboundReach): ModelChange {
  const submitted = asObject(body);
  const { id, provider, label } = submitted;
  if (!isText(id)) refuse("id is required (the exact model string sent to the provider's API)");
  requireProvider(provider);
  if (!isText(label)) refuse("label is required");
  const { pricePerMInputTokens: input, pricePerMOutputTokens: output } = submitted;
  if (!isPrice(input) || !isPrice(output)) refuse("pricePerMInputTokens and pricePerMOutputTokens must be numbers");
  return {
    model: id,
    provider,
    label,
    input,
    output,
    ...readCachePrices(submitted, { cacheRead: null, cacheWrite: null }),
    ...readConnection(submitted, { provider, baseUrl: null, apiKey: null }, reach),
    isRemoved: false,
  };
}

/** A model after a change; members that the body omits are kept, and so is a blank key. */
export function readChangedModel(body: unknown, before: ModelChange, reach: OutboundReach): ModelChange {
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
  return {
    model: before.model,
    provider,
    label,
    input,
    output,
    ...readCachePrices(submitted, before),
    ...readConnection(submitted, { ...before, provider }, reach),
    isRemoved: false,
  };
}

/** The connection to test; throws like {@link readNewModel}. */
export function readConnectionToTest(
  body: unknown,
  reach: OutboundReach,
): { baseUrl: string; modelId: string; apiKey: string | null } {
  const submitted = asObject(body);
  const { modelId, baseUrl, apiKey } = submitted;
  if (!isText(baseUrl)) refuse("baseUrl is required");
  if (!isText(modelId)) refuse("modelId is required");
  return { baseUrl: readBaseUrl(baseUrl, reach), modelId, apiKey: readKey(apiKey, null) };
}

/** Models of providers have no custom endpoint. */
function readConnection(
  { baseUrl: url, apiKey }: Submitted,
  before: Pick<ModelChange, "provider" | "baseUrl" | "apiKey">,
  reach: OutboundReach,
): Pick<ModelChange, "baseUrl" | "apiKey"> {
  if (before.provider !== "custom") return { baseUrl: null, apiKey: null };
  const baseUrl = isText(url) ? readBaseUrl(url, reach) : before.baseUrl;
  if (baseUrl === null) refuse("baseUrl is required for a custom model");
  // A key belongs to the endpoint that it was stored with: it is not kept for another one.
  const kept = baseUrl === before.baseUrl ? before.apiKey : null;
  return { baseUrl, apiKey: readKey(apiKey, kept) };
}

function readBaseUrl(text: string, reach: OutboundReach): string {
  try {
    const url = readOutboundUrl(text.trim(), reach);
    if (url.search !== "" || url.hash !== "") refuse("baseUrl must have no query and no fragment");
    return url.href.replace(/(?<!\/)\/+$/, "");
  } catch (thrown) {
    if (thrown instanceof OutboundError) refuse(`baseUrl: ${thrown.message}`);
    throw thrown;
  }
}

/** It becomes a header, which allows only visible ASCII. */
function readKey(value: unknown, kept: string | null): string | null {
  if (value === null) return null;
  if (value === undefined || (typeof value === "string" && value.trim() === "")) return kept;
  const key = typeof value === "string" ? value.trim() : "";
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= keyMaxChars) return key;
  return refuse(`apiKey must be a key of at most ${keyMaxChars} visible ASCII characters`);
}

function readCachePrices(
  submitted: Submitted,
  before: Pick<ModelChange, "cacheRead" | "cacheWrite">,
): Pick<ModelChange, "cacheRead" | "cacheWrite"> {
  const {
    pricePerMCacheReadTokens: cacheRead = before.cacheRead,
    pricePerMCacheWriteTokens: cacheWrite = before.cacheWrite,
  } = submitted;
  if ((cacheRead !== null && !isPrice(cacheRead)) || (cacheWrite !== null && !isPrice(cacheWrite))) {
    refuse("pricePerMCacheReadTokens and pricePerMCacheWriteTokens must be numbers or null");
  }
  return { cacheRead, cacheWrite };
}

function requireProvider(provider: unknown): asserts provider is ModelChange["provider"] {
  if (!providers.includes(provider)) refuse('provider must be "openai", "anthropic", "gemini", or "custom"');
}

function asObject(body: unknown): Submitted {
  return typeof body === "object" && body !== null ? (body as Submitted) : {};
}

function isText(value: unknown): value is string {
  const isString = typeof value === "string" && value.trim() !== "" && value.length <= limits.indexedTextMaxChars;
  return isString && isStorable(value);
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function refuse(sentence: string): never {
  throw new AppError("bad_request", sentence);
}
