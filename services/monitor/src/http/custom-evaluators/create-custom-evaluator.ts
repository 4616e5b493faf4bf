import {
  actOf,
  type Clock,
  type Handler,
  type OutboundReach,
  readJsonObject,
  requireProject,
} from "@touchstone/service-kit";
import { composeEvaluatorDocument } from "../../custom-evaluators/evaluator-document.ts";
import type { EvaluatorStore } from "../../custom-evaluators/evaluator-store.ts";
import { renderEvaluator } from "../../custom-evaluators/render-evaluator.ts";

/** POST /agent-monitoring/custom-evaluators (completions 4.5). */
export function createCustomEvaluator({
  evaluators,
  reach,
  clock,
}: {
  evaluators: Pick<EvaluatorStore, "create">;
  reach: OutboundReach;
  clock: Clock;
}): Handler {
  return async (call) => {
    const document = composeEvaluatorDocument((await readJsonObject(call)).value, null, reach);
    const now = new Date(clock.now());
    const evaluator = await evaluators.create(requireProject(call), document, now, actOf(call.identity));
    return { status: 201, body: { evaluator: renderEvaluator(evaluator) } };
  };
}
