import type { RatedResult, resultRow } from "@touchstone/contracts";
import { isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import { type GradingPlan, gradersOf } from "../grading/plan.ts";

/** A verdict on a recorded trace, without where and when. */
export type TraceRating = Omit<RatedResult, "projectId" | "runId" | "ratedAt">;

const justificationMaxChars = 4_000;
/** How a judge without a name is called: an evaluation has to have one. */
const unnamed = "Judge";

/**
 * The verdicts of a result that names a trace: what gave its rating, and the judges beside that. Members of a group speak
 * through it alone. None of a result that names no trace or was not rated.
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
