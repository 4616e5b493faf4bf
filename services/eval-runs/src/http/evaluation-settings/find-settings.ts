import { AppError, type Call, isUuid, requireProject } from "@touchstone/service-kit";
import type { ConfigStore, StoredConfig } from "../../graders/config-store.ts";

/** The config a path names. Throws `not_found` when the project has none of that id. */
export async function findSettings(configs: ConfigStore, call: Call): Promise<StoredConfig> {
  const id = settingsId(call);
  const config = id === null ? null : await configs.find(requireProject(call), id);
  return config ?? settingsNotFound();
}

/** The id a path names, or null when it is none. */
export function settingsId(call: Call): string | null {
  const { evaluationSettingsId = "" } = call.params;
  return isUuid(evaluationSettingsId) ? evaluationSettingsId : null;
}

export function settingsNotFound(): never {
  throw new AppError("not_found", "Evaluation settings not found");
}
