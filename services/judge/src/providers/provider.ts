import type { PricedTokens } from "@touchstone/contracts";
import type { JudgeQuestion } from "./wire-apis.ts";

/** The requester of a call (calls are scheduled fairly between groups), and its deadline. */
export interface CallOptions {
  /** The project. */
  group: string;
  /** Aborts when the answer is no longer wanted, at `deadlineAtMs` at the latest. */
  signal: AbortSignal;
  /** Epoch milliseconds. No wait for a retry goes past it. */
  deadlineAtMs: number;
}

/** The reply to one question. */
export interface ProviderReply {
  /** Possibly empty. */
  text: string;
  /** As counted by the provider; null if it does not report them. */
  tokens: PricedTokens;
}

/** One service that answers questions. It handles retries, limits and protection. */
export interface Provider {
  /** The model's answer. Rejects with `ProviderFailure`, or with the signal's reason. */
  ask(question: JudgeQuestion, options: CallOptions): Promise<ProviderReply>;
  /** One embedding for each text, in order. Rejects like `ask`. */
  embed(texts: readonly string[], model: string, options: CallOptions): Promise<number[][]>;
  /** Removes the provider's key from a text it sent. */
  redact(text: string): string;
  /** `closed` in normal operation, `open` while the provider is not called because it keeps failing. */
  circuit(): "closed" | "open";
}
