import { catalogueOf } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { ModelStore } from "../../models/model-store.ts";
import { showModel } from "../../models/show-model.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";

export interface ListModelsDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
}

/** `GET /agent-monitoring/portability/models`: the default first, then by id (completions 11.1). */
export function listModels({ settings, models }: ListModelsDependencies): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await models.list(await requireOwnProject(settings, call)));
    return { status: 200, body: { models: [...catalogue.values()].map(showModel) } };
  };
}
