import { catalogueOf } from "@touchstone/contracts";
import { AppError, type Handler } from "@touchstone/service-kit";
import { actOf, recordAudit } from "../../audit/record-audit.ts";
import type { ModelStore } from "../../models/model-store.ts";
import { isBuiltIn, refuseBuiltIn } from "../../models/refuse-built-in.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";

export interface DeleteModelDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
  multiTenant: boolean;
}

/** `DELETE /agent-monitoring/portability/models/{modelId}`: a built-in model does not return (completions 11.1). */
export function deleteModel({ settings, models, multiTenant }: DeleteModelDependencies): Handler {
  return async (call) => {
    const id = call.params.modelId ?? "";
    const owner = await requireOwnProject(settings, call);
    await models.change(
      owner,
      (changes) => {
        const model = catalogueOf(changes).get(id);
        if (model === undefined) throw new AppError("not_found", "Model not found");
        refuseBuiltIn(id, multiTenant);
        if (!isBuiltIn(id)) return { remove: id };
        return { put: { ...model, baseUrl: null, apiKey: null, isRemoved: true } };
      },
      (transaction) =>
        recordAudit(transaction, {
          ...actOf(call.identity),
          action: "model.removed",
          projectId: owner.projectId,
          targetId: id,
        }),
    );
    return { status: 200, body: { success: true } };
  };
}
