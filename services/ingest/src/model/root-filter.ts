import type { PromptUse } from "./own-facts.ts";

/** The filters of a list of roots; a root must match all of them. Shown values are compared. Null = any. */
export interface RootFilter {
  /** As stored: trimmed and lowercased. */
  framework: string | null;
  source: "production" | "eval" | "all";
  agentId: string | null;
  sessionId: string | null;
  model: string | null;
  /** A span of its trace names this model itself and used tokens, in the period of the filter. */
  usedModel: string | null;
  /** Whether its row shows a model. */
  hasModel: boolean | null;
  /** `createdAt` in epoch milliseconds, inclusive. */
  fromMs: number | null;
  /** Exclusive. */
  toMs: number | null;
  hasError: boolean | null;
  latencyMinMs: number | null;
  /** Bounds of the live rating, 0 to 10, both inclusive. With either one, unrated roots do not match. */
  ratingMin: number | null;
  ratingMax: number | null;
  /** True: it ended in an error or a live judge rates it below its threshold; false: neither. */
  isFailing: boolean | null;
  /** True: a tool call of it failed, as monitor classified it when it settled; false: none did. */
  isToolFailing: boolean | null;
  /** A span of its trace states this prompt; a null version means any. */
  prompt: PromptUse | null;
  /** A LIKE pattern for the searched text; see src/search. */
  pattern: string | null;
}
