import type { ExportedVerdict } from "./exported-verdict.ts";

/** The event name of a verdict, by the GenAI semantic conventions. */
export const evaluationEvent = "gen_ai.evaluation.result";

/** The types of attributes in use; lists are not needed. */
export type EvaluationAttributes = Record<string, string | number | boolean>;

/**
 * The attributes of a verdict's record (decision 35): those that the conventions define, and further ones under `touchstone.`.
 * The conventions define no scale; the score is on 0..1, the usual interpretation, and `touchstone.rating` is the same on 0 to
 * 10. Unknown values are left out.
 */
export function attributesOf(verdict: ExportedVerdict): EvaluationAttributes {
  const { failing } = verdict;
  return withoutNulls({
    "gen_ai.evaluation.name": verdict.scorerName,
    "gen_ai.evaluation.score.value": shareOf(verdict.rating),
    "gen_ai.evaluation.score.label": failing === null ? null : failing ? "fail" : "pass",
    "gen_ai.evaluation.explanation": verdict.justification,
    "gen_ai.response.id": verdict.otel?.responseId ?? null,
    // Only for a session's verdict: on a span's record a receiver would read it as an attribute of the span.
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

/** Rounds off binary fractions: 7 is 0.7. */
const shareOf = (rating: number): number => Math.round(rating * 1e6) / 1e7;

function withoutNulls(attributes: Record<string, string | number | boolean | null>): EvaluationAttributes {
  const known: EvaluationAttributes = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== null) known[name] = value;
  return known;
}
