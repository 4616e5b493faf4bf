import type { SkipReason, VerdictMode } from "@touchstone/contracts";
import type { ProviderFailureKind } from "./provider-failure.ts";

/** One request to a provider, retries counted each for itself. */
export interface ProviderCall {
  /** The provider's host, which is the operator's own setting. */
  provider: string;
  operation: "responses" | "chat" | "embeddings";
  /** `aborted`: given up because the result's deadline passed or nobody waits any more. */
  outcome: "answered" | "aborted" | ProviderFailureKind;
  durationMs: number;
}

/** One rubric applied to one result. */
export interface ObservedVerdict {
  status: "scored" | "skipped";
  reason: SkipReason | null;
  durationMs: number;
}

/** One look into the stored verdicts, before a judge is asked or instead of it. */
export interface ObservedLookUp {
  mode: VerdictMode;
  outcome: "hit" | "miss" | "unavailable";
}

/** Where metrics come from. Never given a prompt, an answer, a key or a project. */
export interface JudgeObserver {
  providerCalled(call: ProviderCall): void;
  verdictGiven(verdict: ObservedVerdict): void;
  verdictLookedUp(lookUp: ObservedLookUp): void;
  /** A scored verdict went out without being stored. */
  verdictNotKept(): void;
}
