import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderSettings } from "../../graders/render-config.ts";
import { endText, readListQuery } from "../../queries/list-query.ts";

/** GET /custom-agent-evaluations/evaluation-settings (completions 4.1), newest first. */
export function listEvaluationSettings({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const page = await configs.list(requireProject(call), readListQuery(call, "the id of evaluation settings"));
    const texts = page.rows.map(renderSettings);
    return { status: 200, body: `{"evaluationSettings":[${texts.join(",")}]${endText(page, ({ id }) => id)}` };
  };
}
