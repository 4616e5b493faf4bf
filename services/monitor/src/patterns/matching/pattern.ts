import type { PatternCondition } from "@touchstone/contracts";
import type { Polarity, Severity } from "../../model/finding.ts";

export type PatternSource = PatternCondition["sources"][number];
export type DetectorKind = "contains" | "regex" | "semantic";

/** A pattern's own content, as it is stored (completions 9.3). */
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
  /** What is evaluated; made of the members above unless it was sent itself. */
  conditions: readonly PatternCondition[];
  /** The conditions were sent themselves. */
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
  /** `custom:<slug>`; it does not change with the name. */
  key: string;
  document: PatternDocument;
  createdAt: Date;
  updatedAt: Date;
}

/** The texts of one trace that patterns look at. */
export type TraceTexts = Readonly<Record<PatternSource, string>>;
