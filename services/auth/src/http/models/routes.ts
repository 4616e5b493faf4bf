import { routes } from "@touchstone/contracts";
import type { OutboundFetch, OutboundReach, ServedRoute } from "@touchstone/service-kit";
import type { ModelStore } from "../../models/model-store.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { createModel } from "./create-model.ts";
import { deleteModel } from "./delete-model.ts";
import { listJudgeModels } from "./list-judge-models.ts";
import { listModels } from "./list-models.ts";
import { readModelCatalogue } from "./read-model-catalogue.ts";
import { testModelConnection } from "./test-model-connection.ts";
import { updateModel } from "./update-model.ts";

/** The catalogue of models (completions 7.5, 11.1). */
export function listModelRoutes(dependencies: {
  settings: ProjectSettingsStore;
  models: ModelStore;
  multiTenant: boolean;
  /** Where the endpoints of custom models may be. */
  modelReach: OutboundReach;
  fetchModels: OutboundFetch;
}): ServedRoute[] {
  return [
    { route: routes.listModels, handle: listModels(dependencies) },
    { route: routes.createModel, handle: createModel(dependencies) },
    { route: routes.testModelConnection, handle: testModelConnection(dependencies) },
    { route: routes.updateModel, handle: updateModel(dependencies) },
    { route: routes.deleteModel, handle: deleteModel(dependencies) },
    { route: routes.listJudgeModels, handle: listJudgeModels(dependencies) },
    { route: routes.readModelCatalogue, handle: readModelCatalogue(dependencies) },
  ];
}
