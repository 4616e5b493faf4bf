import { unknown } from "../ui/format.ts";
import type { PricedModel } from "./queries.ts";

/** A model's prices and names in the form. */
export interface ModelDraft {
  id: string;
  label: string;
  provider: PricedModel["provider"];
  input: string;
  output: string;
  /** Empty: cached tokens have the normal price. */
  cacheRead: string;
  cacheWrite: string;
  /** For a custom endpoint. */
  baseUrl: string;
  /** Empty keeps the stored one. */
  apiKey: string;
}

export function emptyDraft(id = ""): ModelDraft {
  const provider = providerOf(id);
  return { id, label: id, provider, input: "", output: "", cacheRead: "", cacheWrite: "", baseUrl: "", apiKey: "" };
}

export function draftOf(model: PricedModel): ModelDraft {
  return {
    id: model.id,
    label: model.label,
    provider: model.provider,
    input: String(model.pricePerMInputTokens),
    output: String(model.pricePerMOutputTokens),
    cacheRead: model.pricePerMCacheReadTokens === null ? "" : String(model.pricePerMCacheReadTokens),
    cacheWrite: model.pricePerMCacheWriteTokens === null ? "" : String(model.pricePerMCacheWriteTokens),
    baseUrl: model.baseUrl ?? "",
    apiKey: "",
  };
}

/** The provider whose key is used for a model of this name. */
function providerOf(id: string): PricedModel["provider"] {
  if (id.startsWith("claude-")) return "anthropic";
  return id.startsWith("gemini-") ? "gemini" : "openai";
}

/** A price in USD per million tokens; null unless the text is a number of at least 0. */
export function readPrice(text: string): number | null {
  const plain = text.trim().replace(/^\$/, "").replace(",", ".");
  const value = plain === "" ? Number.NaN : Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** A price per million tokens, exactly, such as `$0.15`; `-` without a price. */
export function formatPrice(price: number | null): string {
  if (price === null) return unknown;
  return `$${price.toLocaleString("en-US", { minimumFractionDigits: price % 1 === 0 ? 0 : 2, maximumFractionDigits: 8 })}`;
}

export type DraftErrors = Partial<Record<keyof ModelDraft, string>>;

/** The values that the API would refuse, by field. Empty if the draft is valid. */
export function draftErrors(draft: ModelDraft): DraftErrors {
  const errors: DraftErrors = {};
  if (draft.id.trim() === "") errors.id = "Give the exact model string.";
  if (draft.label.trim() === "") errors.label = "Give a name.";
  for (const field of ["input", "output"] as const) {
    if (readPrice(draft[field]) === null) errors[field] = "Give a price of 0 or more.";
  }
  for (const field of ["cacheRead", "cacheWrite"] as const) {
    if (draft[field].trim() !== "" && readPrice(draft[field]) === null) errors[field] = "A price, or nothing.";
  }
  if (draft.provider === "custom" && draft.baseUrl.trim() === "") errors.baseUrl = "Give the endpoint's address.";
  return errors;
}

/** The body for the API. Requires a draft without errors. */
export function bodyOfDraft(draft: ModelDraft) {
  const isOwn = draft.provider === "custom";
  return {
    provider: draft.provider,
    label: draft.label.trim(),
    pricePerMInputTokens: readPrice(draft.input) ?? 0,
    pricePerMOutputTokens: readPrice(draft.output) ?? 0,
    pricePerMCacheReadTokens: readPrice(draft.cacheRead),
    pricePerMCacheWriteTokens: readPrice(draft.cacheWrite),
    ...(isOwn && { baseUrl: draft.baseUrl.trim() }),
    ...(isOwn && draft.apiKey.trim() !== "" && { apiKey: draft.apiKey.trim() }),
  };
}
