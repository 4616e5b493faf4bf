import type { Queryable } from "@touchstone/db";

export type Severity = "low" | "medium" | "high" | "critical";
export type Polarity = "failure" | "proper";

/** One finding, as a check reports it. */
export interface Finding {
  /** `custom:<slug>`, a built-in's key, `online-eval:<id>`, `scorer-group:<id>`, `custom-scorer:<id>`, ... */
  patternKey: string;
  kind: "operational" | "pattern" | "judge" | "group" | "custom" | "feedback";
  polarity: Polarity;
  severity: Severity;
  agentId: string | null;
  traceId: string | null;
  sessionId: string | null;
  rating: number | null;
  justification: string | null;
  /** Of the judge's record behind the rating; absent or null: there is none. */
  recordId?: string | null;
  /** The trace's own time, ISO 8601. */
  createdAt: string;
}

/** What a finding says to people, where one is to look at it. */
export interface RaisedSignal {
  /** `pattern_match`, `online_evaluator_low_score`, `scorer_group_low_score`, `negative_feedback`, ... (completions 9.4) */
  type: string;
  summary: string;
  rootCause: string | null;
  /** The first 500 characters of what was asked and answered. */
  query: string | null;
  responsePreview: string | null;
}

/** What a signal is raised with. */
export type RaisedFinding = Omit<Finding, "kind">;

/** Keeps findings, as events, and the signals made of them. */
export interface FindingStore {
  /**
   * Records a finding, and raises or repeats its signal when there is one to raise, within the transaction of the check.
   * A finding of the same check in the same trace is recorded once, and then raises nothing again.
   */
  record(transaction: Queryable, projectId: string, finding: Finding, signal: RaisedSignal | null): Promise<void>;
  /** Raises or repeats a signal of what is no finding in one trace or session, such as a rule over many. */
  raise(transaction: Queryable, projectId: string, finding: RaisedFinding, signal: RaisedSignal): Promise<void>;
}

const previewChars = 500;

/** The first characters of a text as signals show it: what PostgreSQL takes; null for nothing. */
export function previewOf(text: string | null): string | null {
  if (text === null || text.trim() === "") return null;
  return text.slice(0, previewChars).replaceAll("\0", "\uFFFD").toWellFormed();
}
