import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { createOnlineEvaluator } from "../http/online-evaluators/create-online-evaluator.ts";
import { deleteOnlineEvaluator } from "../http/online-evaluators/delete-online-evaluator.ts";
import { getOnlineEvaluator } from "../http/online-evaluators/get-online-evaluator.ts";
import { listOnlineEvaluators } from "../http/online-evaluators/list-online-evaluators.ts";
import { updateOnlineEvaluator } from "../http/online-evaluators/update-online-evaluator.ts";
import type { ConfigBook } from "./config-book.ts";
import type { ConfigStore } from "./config-store.ts";

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
