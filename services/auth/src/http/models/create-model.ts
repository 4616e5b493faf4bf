import { catalogueOf, limits } from "@touchstone/contracts";
import { AppError, type Handler, type OutboundReach } from "@touchstone/service-kit";
import { actOf, recordAudit } from "../../audit/record-audit.ts";
import { describeModelChange } from "../../models/describe-model-change.ts";
import type { ModelStore } from "../../models/model-store.ts";
import { showModel } from "../../models/show-model.ts";
import { readNewModel } from "../../models/submitted-model.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";

export interface CreateModelDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
  modelReach: OutboundReach;
}

/** `POST /agent-monitoring/portability/models`: adds a model to the catalogue (completions 11.1). */
export function createModel({ settings, models, modelReach }: CreateModelDependencies): Handler {
  return async (call) => {
    const model = readNewModel(await call.json(), modelReach);
    const owner = await requireOwnProject(settings, call);
    await models.change(
      owner,
      (changes) => {
        if (catalogueOf(changes).has(model.model)) {
          throw new AppError("conflict", `A model with id "${model.model}" already exists`);
        }
        if (changes.length >= limits.modelPricesMax) {
          throw new AppError("bad_request", `there may be ${limits.modelPricesMax} models of one's own`);
        }
        return { put: model };
      },
      (transaction) =>
        recordAudit(transaction, {
          ...actOf(call.identity),
          action: "model.created",
          projectId: owner.projectId,
          targetId: model.model,
          details: describeModelChange(null, model),
        }),
    );
    return { status: 201, body: { model: showModel(model) } };
  };
}
