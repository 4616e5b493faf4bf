import type { ShownScore } from "@touchstone/contracts";
import { scanMembers } from "@touchstone/service-kit";
import type { Evaluation } from "../model/fragment-body.ts";
import type { ReadSpan } from "../model/read-span.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import { showScore } from "../scores/show-score.ts";
import type { TargetScores } from "../scores/target-score-reader.ts";

/** The scores of a span for its detail: stored ones, newest first, then evaluations from its telemetry (otlp 7). */
export async function readTraceScores(
  scores: Pick<TargetScores, "listOfSpan">,
  projectId: string,
  span: ReadSpan,
): Promise<ShownScore[]> {
  const stored = await scores.listOfSpan(projectId, span.id);
  return [...stored.map(showScore), ...(await readEvaluations(span))];
}

/** Log records with evaluations are stored with their span, whose metadata lists them. */
async function readEvaluations(span: ReadSpan): Promise<ShownScore[]> {
  if (span.derived?.hasFragments !== true) return [];
  const { metadata } = readBodyMembers(await decodeSpanBody(span.body), ["metadata"]);
  const listed = metadata === null ? undefined : scanMembers(metadata, { isStored: true }).members?.get("evaluations");
  const evaluations: unknown = listed === undefined ? [] : JSON.parse(listed.text);
  return Array.isArray(evaluations) ? evaluations.flatMap((evaluation) => showEvaluation(evaluation, span)) : [];
}

function showEvaluation(
  { name, score, label, explanation, evaluatedAt }: Partial<Evaluation>,
  span: ReadSpan,
): ShownScore[] {
  const value = score ?? label;
  if (name === undefined || value === undefined) return [];
  const at = evaluatedAt ?? new Date(span.createdAtMs).toISOString();
  return [
    {
      id: null,
      name,
      value,
      dataType: typeof value === "number" ? "numeric" : "categorical",
      comment: explanation ?? null,
      metadata: score !== undefined && label !== undefined ? { label } : null,
      source: "model",
      timestamp: at,
      traceId: span.traceKey?.replaceAll("-", "") ?? null,
      spanId: span.spanId,
      sessionId: null,
      runId: null,
      caseId: null,
      runNumber: null,
      author: null,
      authorId: null,
      createdAt: at,
      updatedAt: at,
    },
  ];
}
