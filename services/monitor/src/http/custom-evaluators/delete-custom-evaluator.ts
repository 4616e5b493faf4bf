import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { EvaluatorStore } from "../../custom-evaluators/evaluator-store.ts";
import { evaluatorIdOf, evaluatorNotFound } from "./evaluator-id.ts";

/** DELETE /agent-monitoring/custom-evaluators/{customEvaluatorId} (completions 4.5). What it said stays. */
export function deleteCustomEvaluator({ evaluators }: { evaluators: Pick<EvaluatorStore, "delete"> }): Handler {
  return async (call) => {
    const isGone = await evaluators.delete(requireProject(call), evaluatorIdOf(call), actOf(call.identity));
    return isGone ? { status: 204 } : evaluatorNotFound();
  };
}
