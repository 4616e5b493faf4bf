import type { PatternCondition } from "@touchstone/contracts";
import type { Polarity, Severity } from "../../model/finding.ts";

export type PatternSource = PatternCondition["sources"][number];
export type DetectorKind = "contains" | "regex" | "semantic";

/** The stored content of a pattern (completions 9.3). */
export interface PatternDocument {
  name: string;
  description?: string;
  category?: string;
  detectorKind: DetectorKind;
  matchTarget: readonly PatternSource[];
  matchMode: "any" | "all";
  includeTerms: readonly string[];
  excludeTerms: readonly string[];
  regex?: string;
  semanticPrompt?: string;
  /** The evaluated conditions; derived from the members above unless they were sent. */
  conditions: readonly PatternCondition[];
  /** The conditions were sent explicitly. */
  hasOwnConditions: boolean;
  severity: Severity;
  polarity: Polarity;
  enabled: boolean;
  sampleRate: number;
  scopeMode: "all" | "selected";
  agentIds: readonly string[];
}

export interface StoredPattern {
  id: string;
  /** `custom:<slug>`; renaming does not change it. */
  key: string;
  document: PatternDocument;
  createdAt: Date;
  updatedAt: Date;
}

/** What decides whether a trace is due a pattern. */
export interface PatternChoice extends Pick<StoredPattern, "id" | "key"> {
  document: Pick<PatternDocument, "enabled" | "polarity" | "sampleRate" | "scopeMode" | "agentIds">;
}

/** The texts of one trace that patterns search. */
export type TraceTexts = Readonly<Record<PatternSource, string>>;
