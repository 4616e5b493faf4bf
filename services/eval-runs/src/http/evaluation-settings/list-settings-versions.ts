import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderConfigVersion } from "../../graders/render-config.ts";
import { readVersionListQuery, warnOfCut } from "../../queries/list-query.ts";
import { findSettings } from "./find-settings.ts";

/** GET /evaluate/evaluationSettings/{evaluationSettingsId}/versions (completions 3.3, 4.1), newest first. */
export function listSettingsVersions({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const { id } = await findSettings(configs, call);
    const page = await configs.listVersions(requireProject(call), id, readVersionListQuery(call));
    warnOfCut(call, page);
    return { status: 200, body: `[${page.rows.map((version) => renderConfigVersion(id, version)).join(",")}]` };
  };
}
