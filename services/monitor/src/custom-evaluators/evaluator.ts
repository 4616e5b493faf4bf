import type { ScriptTrace } from "@touchstone/contracts";
import type { Severity } from "../model/finding.ts";

/** A custom scorer's own content, as it is stored (completions 4.5). */
export interface EvaluatorDocument {
  name: string;
  kind: "external" | "code";
  /** Where it is external. */
  url?: string;
  /** Where it is code. */
  language?: "javascript";
  script?: string;
  sampleRate: number;
  scopeMode: "all" | "selected";
  agentIds: readonly string[];
  enabled: boolean;
  /** Of an external one: `matches` means the opposite. */
  invertMatch: boolean;
  severity: Severity;
  /** Of code: a score below it alerts. */
  alertBelow: number;
}

/** What of it decides what it says. */
export type EvaluatorProgram = Pick<
  EvaluatorDocument,
  "kind" | "name" | "url" | "script" | "invertMatch" | "alertBelow"
>;

export interface StoredEvaluator {
  id: string;
  document: EvaluatorDocument;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * What a custom scorer is asked about: a trace, or a result of a run, which may have no trace and be expected to be
 * something.
 */
export type AskedTrace = Omit<ScriptTrace, "traceId"> & { traceId: string | null; expected?: string | null };

/** What a custom scorer answered of one trace, as it was read. */
export interface EvaluatorAnswer {
  /** Of an external one. */
  matches: boolean | null;
  /** 0 to 1; null: it gave none, and of code that it skips the trace. */
  score: number | null;
  reason: string | null;
  name: string | null;
  metadata: unknown;
}

/**
 * Why a custom scorer gave no answer. `lasting`: asking again is no use. `passing`: it may be. `away`: who runs it is not
 * there at all, which is no fault of its own.
 */
export interface EvaluatorFailure {
  message: string;
  kind: "lasting" | "passing" | "away";
}

/** What an answer says of a trace. */
export interface EvaluatorFinding {
  flagged: boolean;
  score: number | null;
  reason: string | null;
}

/**
 * What an answer means: an external scorer says itself whether it flags a trace (`invertMatch` turns that round), a
 * script's score flags it below `alertBelow`; exactly at it passes. Null: it skips the trace.
 */
export function findingOf(
  document: Pick<EvaluatorProgram, "kind" | "invertMatch" | "alertBelow">,
  answer: EvaluatorAnswer,
): EvaluatorFinding | null {
  const { score, reason, name } = answer;
  const said = reason ?? name;
  if (document.kind === "external") return { flagged: answer.matches !== document.invertMatch, score, reason: said };
  return score === null ? null : { flagged: score < document.alertBelow, score, reason: said };
}

/** How good a finding is, 0 to 1: its score, else 0 where it flags and 1 where it does not (completions 4.4). */
export function goodnessOf({ score, flagged }: EvaluatorFinding): number {
  return score ?? (flagged ? 0 : 1);
}
