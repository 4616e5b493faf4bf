import { routes } from "@touchstone/contracts";
import type { Clock, OutboundReach, ServedRoute } from "@touchstone/service-kit";
import { createCustomEvaluator } from "../http/custom-evaluators/create-custom-evaluator.ts";
import { deleteCustomEvaluator } from "../http/custom-evaluators/delete-custom-evaluator.ts";
import { listCustomEvaluatorEvents } from "../http/custom-evaluators/list-custom-evaluator-events.ts";
import { listCustomEvaluators } from "../http/custom-evaluators/list-custom-evaluators.ts";
import { updateCustomEvaluator } from "../http/custom-evaluators/update-custom-evaluator.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { AskEvaluator } from "./ask-evaluator.ts";
import type { EvaluatorEventReader } from "./evaluator-event-reader.ts";
import type { EvaluatorStore } from "./evaluator-store.ts";
import { tryCustomEvaluator } from "./try-custom-evaluator.ts";

export interface CustomEvaluatorRouteDependencies {
  evaluators: EvaluatorStore;
  evaluatorEvents: EvaluatorEventReader;
  askEvaluator: AskEvaluator;
  /** What external scorers may be called at. */
  reach: OutboundReach;
  ingest: IngestClient;
  clock: Clock;
}

/** Custom scorers (completions 4.5). */
export function customEvaluatorRoutes(dependencies: CustomEvaluatorRouteDependencies): ServedRoute[] {
  return [
    { route: routes.createCustomEvaluator, handle: createCustomEvaluator(dependencies) },
    { route: routes.listCustomEvaluators, handle: listCustomEvaluators(dependencies) },
    { route: routes.tryCustomEvaluator, handle: tryCustomEvaluator(dependencies) },
    { route: routes.updateCustomEvaluator, handle: updateCustomEvaluator(dependencies) },
    { route: routes.deleteCustomEvaluator, handle: deleteCustomEvaluator(dependencies) },
    { route: routes.listCustomEvaluatorEvents, handle: listCustomEvaluatorEvents(dependencies) },
  ];
}
