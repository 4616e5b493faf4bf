import type { Handler } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderSettings } from "../../graders/render-config.ts";
import { requireProject } from "../require-project.ts";

/** GET /custom-agent-evaluations/evaluation-settings (completions 4.1), newest first. */
export function listEvaluationSettings({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const found = await configs.list(requireProject(call));
    return { status: 200, body: `{"evaluationSettings":[${found.map(renderSettings).join(",")}]}` };
  };
}
