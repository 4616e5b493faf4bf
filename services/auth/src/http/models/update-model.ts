import { catalogueOf } from "@touchstone/contracts";
import { AppError, type Handler, type OutboundReach } from "@touchstone/service-kit";
import { actOf, recordAudit } from "../../audit/record-audit.ts";
import { describeModelChange } from "../../models/describe-model-change.ts";
import type { ModelChange } from "../../models/model.ts";
import type { ModelStore } from "../../models/model-store.ts";
import { refuseBuiltIn } from "../../models/refuse-built-in.ts";
import { showModel } from "../../models/show-model.ts";
import { readChangedModel } from "../../models/submitted-model.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";

export interface UpdateModelDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
  modelReach: OutboundReach;
  multiTenant: boolean;
}

/** `PUT /agent-monitoring/portability/models/{modelId}`: changes a model, outside multi-tenant mode a built-in one too. */
export function updateModel({ settings, models, modelReach, multiTenant }: UpdateModelDependencies): Handler {
  return async (call) => {
    const body = await call.json();
    const id = call.params.modelId ?? "";
    const owner = await requireOwnProject(settings, call);
    let changed: ModelChange | null = null;
    let details: ReturnType<typeof describeModelChange> = {};
    await models.change(
      owner,
      (changes) => {
        const before = catalogueOf(changes).get(id);
        if (before === undefined) throw new AppError("not_found", "Model not found");
        refuseBuiltIn(id, multiTenant);
        const known = { baseUrl: null, apiKey: null, isRemoved: false, ...before };
        changed = readChangedModel(body, known, modelReach);
        details = describeModelChange(known, changed);
        return { put: changed };
      },
      (transaction) =>
        recordAudit(transaction, {
          ...actOf(call.identity),
          action: "model.changed",
          projectId: owner.projectId,
          targetId: id,
          details,
        }),
    );
    if (changed === null) throw new Error("a change of a model decided nothing");
    return { status: 200, body: { model: showModel(changed) } };
  };
}
