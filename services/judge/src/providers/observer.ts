import type { SkipReason, VerdictMode } from "@touchstone/contracts";
import type { ProviderFailureKind } from "./provider-failure.ts";

/** One request to a provider; each retry is a separate one. */
export interface ProviderCall {
  /** The provider's host, from the operator's settings; `custom` for endpoints that projects bring. */
  provider: string;
  operation: "responses" | "chat" | "embeddings";
  /** `aborted`: given up because the result's deadline passed or the requester is gone. */
  outcome: "answered" | "aborted" | ProviderFailureKind;
  durationMs: number;
}

/** One rubric applied to one result. */
export interface ObservedVerdict {
  status: "scored" | "skipped";
  reason: SkipReason | null;
  durationMs: number;
}

/** One look-up of a stored verdict, before a judge is asked or instead of it. */
export interface ObservedLookUp {
  mode: VerdictMode;
  outcome: "hit" | "miss" | "unavailable";
}

/** The source of metrics. Never receives a prompt, an answer, a key or a project. */
export interface JudgeObserver {
  /** A call waits for its place. The returned function ends the wait; further calls of it do nothing. */
  callWaits(): () => void;
  providerCalled(call: ProviderCall): void;
  /** The circuit breaker of a provider after a call. */
  circuitSeen(provider: string, state: "closed" | "open"): void;
  verdictGiven(verdict: ObservedVerdict): void;
  verdictLookedUp(lookUp: ObservedLookUp): void;
  /** A scored verdict was returned without being stored. */
  verdictNotKept(): void;
}
