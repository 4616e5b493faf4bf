import type { Database } from "@touchstone/db";
import { AppError, type Handler } from "@touchstone/service-kit";
import { actOf, recordAudit } from "../../audit/record-audit.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";
import { readSubmittedPlatformModel } from "../../settings/submitted-platform-model.ts";

export interface SetPlatformModelDependencies {
  database: Database;
  settings: ProjectSettingsStore;
}

/** `PUT .../platform-model`: which model is asked where a request names none (completions 7.1, 11.3). */
export function setPlatformModel({ database, settings }: SetPlatformModelDependencies): Handler {
  return async (call) => {
    const platformModel = readSubmittedPlatformModel(await call.json());
    const { projectId } = await requireOwnProject(settings, call);
    await database.transaction(async (transaction) => {
      const changed = await settings.setPlatformModel(transaction, projectId, platformModel);
      if (changed === null) throw new AppError("unauthorized", "Invalid or missing API key");
      const act = { ...actOf(call.identity), projectId };
      const details = { from: changed.before, to: platformModel };
      await recordAudit(transaction, { ...act, action: "project.platform-model-set", details });
    });
    return { status: 200, body: { platformModel } };
  };
}
