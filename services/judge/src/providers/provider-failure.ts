/**
 * What went wrong between us and a provider.
 *
 * - `unreachable`: no connection, or it broke.
 * - `timeout`: no complete answer within the time of one call.
 * - `broken`: the provider said that it failed (5xx) or should be asked again (408, 409).
 * - `rate_limited`: it wants fewer calls (429).
 * - `quota_spent`: its own budget for our key is used up; asking again does not help.
 * - `unauthorized`: it does not take our key.
 * - `refused`: it does not take this request.
 * - `too_large`: the prompt is longer than the model takes.
 * - `redirected`: it pointed elsewhere, where we do not go.
 * - `reply_too_large`: its answer is longer than we read.
 * - `circuit_open`: it was not asked, because it keeps failing.
 * - `overloaded`: it was not asked, because too many calls are waiting here.
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

/** What the refusing answer was about, as far as it can be told; decides what is changed before asking again. */
export interface RefusalHints {
  status: number;
  /** The provider's own error code when it is one we know, else null. */
  code: string | null;
  isAboutModel: boolean;
  isAboutTemperature: boolean;
}

/**
 * A failed call to a provider. `message` is ours alone and safe to show: it never repeats what the provider wrote,
 * which may hold the API key, the prompt, or anything else. There is deliberately no `cause`.
 */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  readonly kind: ProviderFailureKind;
  /** How long the provider asked us to wait, at most 10 s (completions 7.4); null when it did not say. */
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

/** Whether the same call may succeed a little later (completions 7.4, Retries). */
export function isPassing(failure: ProviderFailure): boolean {
  return passingKinds.has(failure.kind);
}

/** Whether the failure speaks for a provider that is down, which is what opens the circuit. */
export function isOutage(failure: ProviderFailure): boolean {
  return failure.kind === "unreachable" || failure.kind === "timeout" || failure.kind === "broken";
}
