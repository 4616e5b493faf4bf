/** Which roots are listed: those that match all of it. They are compared as they are shown. Null = any. */
export interface RootFilter {
  /** As stored: trimmed and lowercased. */
  framework: string | null;
  source: "production" | "eval" | "all";
  agentId: string | null;
  sessionId: string | null;
  model: string | null;
  /** `createdAt` in epoch milliseconds, inclusive. */
  fromMs: number | null;
  /** Exclusive. */
  toMs: number | null;
  hasError: boolean | null;
  latencyMinMs: number | null;
  /** Bounds of the headline of live judging, 0 to 10, both inclusive. With either, what nothing rated does not match. */
  ratingMin: number | null;
  ratingMax: number | null;
  /** Whether it ended in an error or a live judge rates it below its threshold. */
  isFailing: boolean | null;
  /** A LIKE pattern for the searched text; see src/search. */
  pattern: string | null;
}
