import type { components } from "../api/schema.gen.d.ts";

export type RecordedCase = components["schemas"]["Question"] & { source: components["schemas"]["CaseSource"] };

/** A trace as a case, with the fields that can be edited before it is added. */
export interface CaseDraft {
  traceId: string;
  recorded: RecordedCase;
  /** The agent's answer to the first turn; null when it failed. */
  actualOutput: string | null;
  error: string | null;
  query: string;
  /** The reference answer; empty is none. */
  expected: string;
}

/** The API's preview of a trace as a case. */
interface CasePreview {
  case: RecordedCase;
  turns: readonly { actualOutput: string | null; error: string | null }[];
}

export function draftOf(traceId: string, { case: recorded, turns }: CasePreview): CaseDraft {
  return {
    traceId,
    recorded,
    actualOutput: turns[0]?.actualOutput ?? null,
    error: turns[0]?.error ?? null,
    query: recorded.main_question.query,
    expected: recorded.main_question.expectedResults ?? "",
  };
}

/** The stored case: the recorded data, with the edited question and reference answer. */
export function caseOf({ recorded, query, expected }: CaseDraft, signalId?: string): RecordedCase {
  const { expectedResults: _replaced, ...question } = recorded.main_question;
  return {
    ...recorded,
    main_question: { ...question, query, ...(expected.trim() !== "" && { expectedResults: expected }) },
    source: { ...recorded.source, ...(signalId !== undefined && { signalId }) },
  };
}

/** Why a case was left out, as the dialog shows it. */
export function duplicateSentence({
  reason,
  existingQuery,
  similarity,
}: {
  reason: "same-source" | "same-query" | "similar-query";
  existingQuery: string;
  similarity?: number;
}): string {
  if (reason === "same-source") return "This trace is a case of the dataset already.";
  if (reason === "same-query") return "The dataset asks exactly this already.";
  const share = similarity === undefined ? "" : ` (similarity ${similarity.toFixed(2)})`;
  return `The dataset asks nearly the same${share}: “${existingQuery}”`;
}
