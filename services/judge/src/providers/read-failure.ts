import type { Clock } from "@touchstone/service-kit";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { BrokenReplyError, ReplyTooLargeError } from "./capped-fetch.ts";
import { ProviderFailure, type RefusalHints } from "./provider-failure.ts";

/**
 * Error codes that are safe and useful to show. Another one might be a sentence, or a secret that the provider echoes.
 */
const knownCodes: ReadonlySet<string> = new Set([
  "billing_not_active",
  "content_policy_violation",
  "context_length_exceeded",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_json_schema",
  "invalid_request_error",
  "invalid_value",
  "model_not_found",
  "rate_limit_exceeded",
  "server_error",
  "unsupported_parameter",
  "unsupported_value",
]);

/** Most providers say these only in a sentence, and have no code or one of their own for them. */
const tooLargeText =
  /(prompt|input) is too long|maximum prompt length|context (size|length|window|limit)|token count \(\d+\) exceeds/i;
const badKeyText = /(incorrect|invalid)( |%20)api( |%20)key|api key (not valid|expired)/i;
/** The sentence is at the start of a message; what follows may be the request's own text. */
const sentenceMaxChars = 500;

/** Interprets a value thrown by the client library. The provider's text is dropped, except a known error code. */
export function readFailure(thrown: unknown, options: { clock: Clock; timeoutMs: number }): ProviderFailure {
  if (thrown instanceof ProviderFailure) return thrown;
  if (thrown instanceof APIConnectionTimeoutError) return callTimedOut(options.timeoutMs);
  if (findInCauses(thrown, (error) => error instanceof ReplyTooLargeError)) {
    return new ProviderFailure("reply_too_large", "The judge provider's answer is longer than 1 MB.");
  }
  if (findInCauses(thrown, (error) => error instanceof BrokenReplyError)) return connectionBroke();
  if (thrown instanceof APIConnectionError) {
    return new ProviderFailure("unreachable", "The judge provider cannot be reached.");
  }
  if (thrown instanceof APIError && typeof thrown.status === "number") {
    return readRefusal(thrown, thrown.status, options.clock);
  }
  // The library throws nothing else.
  return connectionBroke();
}

function connectionBroke(): ProviderFailure {
  return new ProviderFailure("unreachable", "The connection to the judge provider broke.");
}

/** The failure of a call that exceeded its time limit. */
export function callTimedOut(timeoutMs: number): ProviderFailure {
  return new ProviderFailure("timeout", `The judge provider did not answer within ${timeoutMs / 1000} s.`);
}

function readRefusal(error: APIError, status: number, clock: Clock): ProviderFailure {
  const hints = readHints(error, status);
  const http = hints.code === null ? `HTTP ${status}` : `HTTP ${status}, ${hints.code}`;
  if (status >= 300 && status < 400) {
    return new ProviderFailure(
      "redirected",
      `The judge provider answered with a redirect (${http}); none is followed.`,
    );
  }
  const sentence = error.message.slice(0, sentenceMaxChars);
  const isBadKey = status === 400 && (hints.code === "invalid_api_key" || badKeyText.test(sentence));
  if (status === 401 || status === 403 || isBadKey) {
    return new ProviderFailure("unauthorized", `The judge provider refused the API key (${http}).`);
  }
  if (status === 429 && hints.code === "insufficient_quota") {
    return new ProviderFailure("quota_spent", `The API key's quota at the judge provider is used up (${http}).`);
  }
  const retryAfterMs = readRetryAfter(error.headers, clock);
  if (status === 429) {
    return new ProviderFailure("rate_limited", `The judge provider takes no more calls for now (${http}).`, {
      retryAfterMs,
    });
  }
  if (status === 408 || status === 409 || (status >= 500 && status !== 501)) {
    return new ProviderFailure("broken", `The judge provider failed (${http}).`, { retryAfterMs });
  }
  const isTooLarge = (status === 400 || status === 422) && tooLargeText.test(sentence);
  if (status === 413 || hints.code === "context_length_exceeded" || isTooLarge) {
    return new ProviderFailure("too_large", `The result is too large for the judge model (${http}).`, { hints });
  }
  return new ProviderFailure("refused", `The judge provider refused the request (${http}).`, { hints });
}

function readHints(error: APIError, status: number): RefusalHints {
  const code = readKnownCode(error.code) ?? readKnownCode(error.type);
  const param = typeof error.param === "string" ? error.param : "";
  return {
    status,
    code,
    isAboutModel: code === "model_not_found" || param === "model",
    isAboutTemperature: param === "temperature" || /temperature/i.test(error.message),
  };
}

function readKnownCode(value: unknown): string | null {
  return typeof value === "string" && knownCodes.has(value) ? value : null;
}

const retryAfterMaxMs = 10_000;

/** `Retry-After` as seconds or a date, or `retry-after-ms`, at most 10 s; null when absent or unreadable. */
function readRetryAfter(headers: Headers | undefined, clock: Clock): number | null {
  const milliseconds = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(milliseconds)) return Math.min(Math.max(0, milliseconds), retryAfterMaxMs);
  const text = headers?.get("retry-after");
  if (!text) return null;
  const seconds = Number(text);
  const waitMs = Number.isNaN(seconds) ? Date.parse(text) - clock.now() : seconds * 1000;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), retryAfterMaxMs) : null;
}

function findInCauses(thrown: unknown, isIt: (error: unknown) => boolean): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    if (isIt(error)) return true;
  }
  return false;
}
