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
import { evaluatorIdOf, evaluatorNotFound } from "./evaluator-id.ts";

/** PUT /agent-monitoring/custom-evaluators/{customEvaluatorId} (completions 4.5): only what is sent changes. */
export function updateCustomEvaluator({
  evaluators,
  reach,
  clock,
}: {
  evaluators: Pick<EvaluatorStore, "update">;
  reach: OutboundReach;
  clock: Clock;
}): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const evaluator = await evaluators.update(requireProject(call), evaluatorIdOf(call), {
      now: new Date(clock.now()),
      compose: (stored) => composeEvaluatorDocument(sent, stored, reach),
      act: actOf(call.identity),
    });
    return { status: 200, body: { evaluator: renderEvaluator(evaluator ?? evaluatorNotFound()) } };
  };
}
