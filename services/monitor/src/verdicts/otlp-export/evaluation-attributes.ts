import type { ExportedVerdict } from "./exported-verdict.ts";

/** The event that a verdict is told as, by the GenAI semantic conventions. */
export const evaluationEvent = "gen_ai.evaluation.result";

/** What there is of attributes; a list of them is not needed. */
export type EvaluationAttributes = Record<string, string | number | boolean>;

/**
 * The attributes of a verdict's record (decision 35): what the conventions have a name for, and beside it ours under
 * `touchstone.`. The conventions name no scale; the score is on 0..1, which others take a score for when nobody tells
 * them more, and `touchstone.rating` is the same on 0 to 10. What is not known is not there.
 */
export function attributesOf(verdict: ExportedVerdict): EvaluationAttributes {
  const { failing } = verdict;
  return withoutNulls({
    "gen_ai.evaluation.name": verdict.scorerName,
    "gen_ai.evaluation.score.value": shareOf(verdict.rating),
    "gen_ai.evaluation.score.label": failing === null ? null : failing ? "fail" : "pass",
    "gen_ai.evaluation.explanation": verdict.justification,
    "gen_ai.response.id": verdict.otel?.responseId ?? null,
    // Of a session alone: on the record of a span a receiver would take it for what the span says of itself.
    "session.id": verdict.sessionId,
    "touchstone.project_id": verdict.projectId,
    "touchstone.verdict_id": verdict.verdictId,
    "touchstone.trace_id": verdict.traceId,
    "touchstone.agent_id": verdict.agentId,
    "touchstone.run_id": verdict.runId,
    "touchstone.scorer_kind": verdict.scorerKind,
    "touchstone.scorer_id": verdict.scorerId,
    "touchstone.scorer_version": verdict.scorerVersion,
    "touchstone.judge_model": verdict.model,
    "touchstone.rating": verdict.rating,
    "touchstone.threshold": verdict.threshold,
    "touchstone.failing": failing,
  });
}

/** Without what binary fractions leave: 7 is 0.7. */
const shareOf = (rating: number): number => Math.round(rating * 1e6) / 1e7;

function withoutNulls(attributes: Record<string, string | number | boolean | null>): EvaluationAttributes {
  const known: EvaluationAttributes = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== null) known[name] = value;
  return known;
}
