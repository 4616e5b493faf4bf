import { catalogueOf } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { isBuiltIn } from "../../models/refuse-built-in.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";
import type { ListModelsDependencies } from "./list-models.ts";

/** `GET /agent-monitoring/models/catalog`: the models by id and label (completions 7.5). */
export function readModelCatalogue({ settings, models }: ListModelsDependencies): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await models.list(await requireOwnProject(settings, call)));
    const shown = [...catalogue.values()].map(({ model, label }) => ({
      id: model,
      label,
      source: isBuiltIn(model) ? "builtin" : "custom",
    }));
    return { status: 200, body: { models: shown, openrouterConfigured: false } };
  };
}
