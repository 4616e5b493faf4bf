import { isUuid, type RatedResult, type resultRow } from "@touchstone/contracts";
import type { z } from "zod";
import { type GradingPlan, gradersOf } from "../grading/plan.ts";

/** A verdict on a recorded trace, without its place and time. */
export type TraceRating = Omit<RatedResult, "projectId" | "runId" | "ratedAt">;

const justificationMaxChars = 4_000;
/** The name of a judge without one: an evaluation needs a name. */
const unnamed = "Judge";

/**
 * The verdicts of a result that names a trace: the source of its rating, and the additional judges. Members of a group are only
 * part of its score. Empty for a result without a trace or without a rating.
 */
export function ratingsOf(id: string, row: z.infer<typeof resultRow>, plan: GradingPlan): TraceRating[] {
  const { traceId, rating, justification } = row;
  if (traceId === null || !isUuid(traceId) || rating === null) return [];
  const { primary } = plan;
  const about = (text: string | null) => ({
    traceId,
    justification: (text ?? "").slice(0, justificationMaxChars).toWellFormed(),
  });
  if (primary.kind === "group") {
    const group = { scorerKind: "group" as const, scorerId: primary.groupId, scorerName: primary.name };
    return [{ ...about(justification), ...group, verdictId: id, rating, model: null }];
  }
  const judges = new Map(gradersOf(plan).map((grader) => [grader.id, grader]));
  const beside = (row.judgeScorerResults ?? []).flatMap((judged) => {
    if (judged.rating === null) return [];
    const judge = { scorerKind: "judge" as const, scorerId: judged.scorerId, scorerName: judged.name ?? unnamed };
    const model = judges.get(judged.scorerId)?.model ?? null;
    const verdictId = `${id}:${judged.scorerId}`;
    return [{ ...about(judged.justification), ...judge, verdictId, rating: judged.rating, model }];
  });
  const { id: scorerId, name, model } = primary.grader;
  const judge = { scorerKind: "judge" as const, scorerId, scorerName: name ?? unnamed };
  return [{ ...about(justification), ...judge, verdictId: id, rating, model }, ...beside];
}
