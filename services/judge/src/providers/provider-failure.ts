/**
 * The failures of a call to a provider.
 *
 * - `unreachable`: no connection, or it broke.
 * - `timeout`: no complete answer within the time of one call.
 * - `broken`: the provider reported a failure (5xx) or asked for a retry (408, 409).
 * - `rate_limited`: it wants fewer calls (429).
 * - `quota_spent`: its budget for the key is exhausted; a retry does not help.
 * - `unauthorized`: it rejects the key.
 * - `refused`: it rejects this request.
 * - `too_large`: the prompt exceeds the model's limit.
 * - `redirected`: it redirected, which is not followed.
 * - `reply_too_large`: its answer exceeds the limit.
 * - `circuit_open`: it was not called, because it keeps failing.
 * - `overloaded`: it was not called, because too many calls are waiting here.
 */
export type ProviderFailureKind =
  | "unreachable"
  | "timeout"
  | "broken"
  | "rate_limited"
  | "quota_spent"
  | "unauthorized"
  | "refused"
  | "too_large"
  | "redirected"
  | "reply_too_large"
  | "circuit_open"
  | "overloaded";

/** The subject of a refusal, as far as it can be recognized; decides which change is tried next. */
export interface RefusalHints {
  status: number;
  /** The provider's error code if it is a known one, else null. */
  code: string | null;
  isAboutModel: boolean;
  isAboutTemperature: boolean;
}

/**
 * A failed call to a provider. `message` is safe to show: it never repeats the provider's text, which may contain the API key,
 * the prompt, or anything else. There is deliberately no `cause`.
 */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  readonly kind: ProviderFailureKind;
  /** The delay that the provider requested, at most 10 s (completions 7.4); null without one. */
  readonly retryAfterMs: number | null;
  readonly hints: RefusalHints | null;

  constructor(
    kind: ProviderFailureKind,
    message: string,
    details: { retryAfterMs?: number | null; hints?: RefusalHints | null } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.hints = details.hints ?? null;
  }
}

const passingKinds: ReadonlySet<ProviderFailureKind> = new Set(["unreachable", "timeout", "broken", "rate_limited"]);

/** True if the same call may succeed a little later (completions 7.4, Retries). */
export function isPassing(failure: ProviderFailure): boolean {
  return passingKinds.has(failure.kind);
}

/** True if the failure indicates that the provider is down, which opens the circuit. */
export function isOutage(failure: ProviderFailure): boolean {
  return failure.kind === "unreachable" || failure.kind === "timeout" || failure.kind === "broken";
}
