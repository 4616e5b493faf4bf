import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import type { ConfigStore } from "../../graders/config-store.ts";
import { createOnlineEvaluator } from "./create-online-evaluator.ts";
import { deleteOnlineEvaluator } from "./delete-online-evaluator.ts";
import { getOnlineEvaluator } from "./get-online-evaluator.ts";
import { listOnlineEvaluators } from "./list-online-evaluators.ts";
import { updateOnlineEvaluator } from "./update-online-evaluator.ts";

/** Online evaluators: the live profiles of judge scorers under ids of their own (completions 9.5). */
export function onlineEvaluatorRoutes(dependencies: { book: ConfigBook; configs: ConfigStore }): ServedRoute[] {
  return [
    { route: routes.createOnlineEvaluator, handle: createOnlineEvaluator(dependencies) },
    { route: routes.listOnlineEvaluators, handle: listOnlineEvaluators(dependencies) },
    { route: routes.getOnlineEvaluator, handle: getOnlineEvaluator(dependencies) },
    { route: routes.updateOnlineEvaluator, handle: updateOnlineEvaluator(dependencies) },
    { route: routes.deleteOnlineEvaluator, handle: deleteOnlineEvaluator(dependencies) },
  ];
}
