import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { readVersionId } from "../../graders/render-config.ts";
import { findSettings } from "./find-settings.ts";

/**
 * DELETE /evaluate/evaluationSettings/{evaluationSettingsId}/versions/{versionId} (completions 3.3, 4.1). The version in
 * force stays.
 */
export function deleteSettingsVersion({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const { id } = await findSettings(configs, call);
    const version = readVersionId(id, call.params.versionId ?? "");
    const deleted =
      version !== null && (await configs.deleteVersion(requireProject(call), id, version, actOf(call.identity)));
    return { status: 200, body: { deleted } };
  };
}
