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
  /** A LIKE pattern for the searched text; see src/search. */
  pattern: string | null;
}
