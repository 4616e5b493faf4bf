import { AppError, type Call, requireProject } from "@touchstone/service-kit";
import type { JudgementReader } from "../../live-scorers/judgement-reader.ts";

/** The key of the online evaluator or live group that a path names. Throws 404 when there is none. */
export async function requireScorerKey(
  call: Call,
  judgements: Pick<JudgementReader, "findScorerKey">,
): Promise<{ projectId: string; scorerKey: string }> {
  const projectId = requireProject(call);
  const scorerKey = await judgements.findScorerKey(projectId, call.params.onlineEvaluatorId ?? "");
  if (scorerKey === null) throw new AppError("not_found", "Online evaluator not found");
  return { projectId, scorerKey };
}
