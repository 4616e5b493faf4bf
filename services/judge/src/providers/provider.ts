import type { PricedTokens } from "@touchstone/contracts";
import type { JudgeQuestion } from "./wire-apis.ts";

/** On whose behalf a call is made (calls are scheduled fairly between groups), and until when. */
export interface CallOptions {
  /** The project. */
  group: string;
  /** Aborts when the answer is no longer wanted; `deadlineAtMs` says when that will be the case at the latest. */
  signal: AbortSignal;
  /** Epoch milliseconds. No wait for a retry goes past it. */
  deadlineAtMs: number;
}

/** What came back of one question. */
export interface ProviderReply {
  /** Possibly empty. */
  text: string;
  /** As the provider counts; null where it does not say. */
  tokens: PricedTokens;
}

/** One place that answers questions. It retries, limits and protects itself; callers only ask. */
export interface Provider {
  /** The model's answer. Rejects with `ProviderFailure`, or with the signal's reason. */
  ask(question: JudgeQuestion, options: CallOptions): Promise<ProviderReply>;
  /** One embedding for each text, in order. Rejects like `ask`. */
  embed(texts: readonly string[], model: string, options: CallOptions): Promise<number[][]>;
  /** Takes the provider's key out of a text that came from it. */
  redact(text: string): string;
  /** `closed` while the provider is asked, `open` while it is left alone because it keeps failing. */
  circuit(): "closed" | "open";
}
