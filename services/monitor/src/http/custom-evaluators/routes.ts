import { routes } from "@touchstone/contracts";
import type { Clock, OutboundReach, ServedRoute } from "@touchstone/service-kit";
import type { AskEvaluator } from "../../custom/ask-evaluator.ts";
import type { EvaluatorEventReader } from "../../custom/evaluator-event-reader.ts";
import type { EvaluatorStore } from "../../custom/evaluator-store.ts";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import { createCustomEvaluator } from "./create-custom-evaluator.ts";
import { deleteCustomEvaluator } from "./delete-custom-evaluator.ts";
import { listCustomEvaluatorEvents } from "./list-custom-evaluator-events.ts";
import { listCustomEvaluators } from "./list-custom-evaluators.ts";
import { tryCustomEvaluator } from "./try-custom-evaluator.ts";
import { updateCustomEvaluator } from "./update-custom-evaluator.ts";

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
