import type { ScriptTrace } from "@touchstone/contracts";
import type { Severity } from "../model/finding.ts";

/** The stored content of a custom scorer (completions 4.5). */
export interface EvaluatorDocument {
  name: string;
  kind: "external" | "code";
  /** Only for an external scorer. */
  url?: string;
  /** Only for code. */
  language?: "javascript";
  script?: string;
  sampleRate: number;
  scopeMode: "all" | "selected";
  agentIds: readonly string[];
  enabled: boolean;
  /** For an external scorer: inverts `matches`. */
  invertMatch: boolean;
  severity: Severity;
  /** For code: a lower score alerts. */
  alertBelow: number;
}

/** The members that determine its results. */
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

/** What decides whether a trace is due a custom scorer. */
export interface EvaluatorChoice extends Pick<StoredEvaluator, "id"> {
  document: Pick<EvaluatorDocument, "enabled" | "sampleRate" | "scopeMode" | "agentIds">;
}

/** The input of a custom scorer: a trace, or a result of a run, which may have no trace but an expected result. */
export type AskedTrace = Omit<ScriptTrace, "traceId"> & { traceId: string | null; expected?: string | null };

/** The parsed answer of a custom scorer for one trace. */
export interface EvaluatorAnswer {
  /** Only from an external scorer. */
  matches: boolean | null;
  /** 0 to 1; null: none; from code, null skips the trace. */
  score: number | null;
  reason: string | null;
  name: string | null;
  metadata: unknown;
}

/**
 * The reason why a custom scorer gave no answer. `lasting`: a retry cannot help. `passing`: it may. `away`: the service that
 * runs it is unavailable, which is not the scorer's fault.
 */
export interface EvaluatorFailure {
  message: string;
  kind: "lasting" | "passing" | "away";
}

/** The meaning of an answer for a trace. */
export interface EvaluatorFinding {
  flagged: boolean;
  score: number | null;
  reason: string | null;
}

/**
 * Interprets an answer: an external scorer flags a trace itself (inverted by `invertMatch`), a script's score flags it below
 * `alertBelow`; an equal score passes. Null: it skips the trace.
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

/** A finding as a score from 0 to 1: its score, else 0 if flagged and 1 if not (completions 4.4). */
export function goodnessOf({ score, flagged }: EvaluatorFinding): number {
  return score ?? (flagged ? 0 : 1);
}
