import { type LlmProvider, llmProviders } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { KeyChanges } from "./provider-key-store.ts";

const fieldOf: Readonly<Record<LlmProvider, string>> = {
  openai: "openaiApiKey",
  anthropic: "anthropicApiKey",
  gemini: "geminiApiKey",
};

/** Longer than any provider's. */
const keyMaxChars = 500;

/**
 * The changes in the body of `PUT .../llm-keys` (completions 11.3). Throws 400 for what cannot be a key: it becomes a
 * header, which takes visible ASCII and nothing else.
 */
export function readSubmittedLlmKeys(body: unknown): KeyChanges {
  const submitted = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const changes: Partial<Record<LlmProvider, string | null>> = {};
  for (const provider of llmProviders) {
    const field = fieldOf[provider];
    const value = submitted[field];
    if (value !== undefined) changes[provider] = value === null ? null : readKey(value, field);
  }
  if (Object.keys(changes).length > 0) return changes;
  throw new AppError("bad_request", `Give at least one of ${Object.values(fieldOf).join(", ")}`);
}

function readKey(value: unknown, field: string): string {
  const key = typeof value === "string" ? value.trim() : "";
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= keyMaxChars) return key;
  throw new AppError(
    "bad_request",
    `${field} must be a key of at most ${keyMaxChars} visible ASCII characters, or null to remove the stored one`,
  );
}
