import { catalogueOf } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireOwnProject } from "../../settings/require-own-project.ts";
import type { ListModelsDependencies } from "./list-models.ts";

/** `GET /custom-agent-evaluations/models`: the models a judge may be chosen from, with their prices (completions 7.5). */
export function listJudgeModels({ settings, models }: ListModelsDependencies): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await models.list(await requireOwnProject(settings, call)));
    const shown = [...catalogue.values()].map(({ model, label, provider, input, output }) => ({
      name: model,
      display: label,
      provider,
      inputCost: input,
      outputCost: output,
    }));
    return { status: 200, body: { models: shown } };
  };
}
