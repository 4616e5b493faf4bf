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
  /** The id of the judge's record behind the rating; absent or null: there is none. */
  recordId?: string | null;
  /** The trace's own time, ISO 8601. */
  createdAt: string;
}

/** The content of a signal about a finding, for people to review. */
export interface RaisedSignal {
  /** `pattern_match`, `online_evaluator_low_score`, `scorer_group_low_score`, `negative_feedback`, ... (completions 9.4) */
  type: string;
  summary: string;
  rootCause: string | null;
  /** The first 500 characters of the question and the answer. */
  query: string | null;
  responsePreview: string | null;
}

/** The finding behind a raised signal. */
export type RaisedFinding = Omit<Finding, "kind">;

/** Stores findings as events, and their signals. */
export interface FindingStore {
  /**
   * Records a finding, and raises or repeats its signal if it has one, within the transaction of the check. A repeated finding
   * of the same check in the same trace is ignored and raises nothing.
   */
  record(transaction: Queryable, projectId: string, finding: Finding, signal: RaisedSignal | null): Promise<void>;
  /** Raises or repeats a signal that is not about one trace or session, such as that of a rule over many. */
  raise(transaction: Queryable, projectId: string, finding: RaisedFinding, signal: RaisedSignal): Promise<void>;
}

const previewChars = 500;

/** The beginning of a text as signals show it, without characters that PostgreSQL rejects; null for an empty text. */
export function previewOf(text: string | null): string | null {
  if (text === null || text.trim() === "") return null;
  return text.slice(0, previewChars).replaceAll("\0", "\uFFFD").toWellFormed();
}
