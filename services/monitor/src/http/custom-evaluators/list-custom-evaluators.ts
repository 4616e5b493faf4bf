import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { EvaluatorStore } from "../../custom-evaluators/evaluator-store.ts";
import { renderEvaluator } from "../../custom-evaluators/render-evaluator.ts";

/** GET /agent-monitoring/custom-evaluators (completions 4.5). */
export function listCustomEvaluators({ evaluators }: { evaluators: Pick<EvaluatorStore, "list"> }): Handler {
  return async (call) => {
    const all = await evaluators.list(requireProject(call));
    return { status: 200, body: { evaluators: all.map(renderEvaluator) } };
  };
}
