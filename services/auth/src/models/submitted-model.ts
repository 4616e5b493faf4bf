import type { changedModelPrice, submittedModelPrice, testedConnection } from "@touchstone/contracts";
import { AppError, OutboundError, type OutboundReach, type Parsed, readOutboundUrl } from "@touchstone/service-kit";
import type { z } from "zod";
import type { TestedConnection } from "./connection-test.ts";
import type { ModelChange } from "./model.ts";

/** Longer than the keys of all providers. */
const keyMaxChars = 500;

type Sent<Schema extends z.ZodType> = Parsed<z.output<Schema>>;

/** A new model; throws the errors of completions 11.1. */
export function composeNewModel(sent: Sent<typeof submittedModelPrice>, reach: OutboundReach): ModelChange {
  const { id: model, provider, label, pricePerMInputTokens: input, pricePerMOutputTokens: output } = sent;
  const nothing = { cacheRead: null, cacheWrite: null, baseUrl: null, apiKey: null, isRemoved: false };
  return composeChangedModel(sent, { model, provider, label, input, output, ...nothing }, reach);
}

/** A model after a change; members that the body omits are kept, and so is a blank key. */
export function composeChangedModel(
  sent: Sent<typeof changedModelPrice>,
  before: ModelChange,
  reach: OutboundReach,
): ModelChange {
  const {
    provider = before.provider,
    label = before.label,
    pricePerMInputTokens: input = before.input,
    pricePerMOutputTokens: output = before.output,
    pricePerMCacheReadTokens: cacheRead = before.cacheRead,
    pricePerMCacheWriteTokens: cacheWrite = before.cacheWrite,
  } = sent;
  const connection = composeConnection(sent, { ...before, provider }, reach);
  return {
    model: before.model,
    provider,
    label,
    input,
    output,
    cacheRead,
    cacheWrite,
    ...connection,
    isRemoved: false,
  };
}

/** The connection to test; throws like {@link composeNewModel}. */
export function composeTestedConnection(
  { baseUrl, modelId, apiKey }: Sent<typeof testedConnection>,
  reach: OutboundReach,
): TestedConnection {
  return { baseUrl: readBaseUrl(baseUrl, reach), modelId, apiKey: readKey(apiKey, null) };
}

/** Models of providers have no custom endpoint. */
function composeConnection(
  { baseUrl: url, apiKey }: Sent<typeof changedModelPrice>,
  before: Pick<ModelChange, "provider" | "baseUrl" | "apiKey">,
  reach: OutboundReach,
): Pick<ModelChange, "baseUrl" | "apiKey"> {
  if (before.provider !== "custom") return { baseUrl: null, apiKey: null };
  const baseUrl = url === undefined ? before.baseUrl : readBaseUrl(url, reach);
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

function refuse(sentence: string): never {
  throw new AppError("bad_request", sentence);
}
