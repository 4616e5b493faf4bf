import type { Handler } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderSettings } from "../../graders/render-config.ts";
import { findSettings } from "./find-settings.ts";

/** GET /custom-agent-evaluations/evaluation-settings/{evaluationSettingsId} (completions 4.1). */
export function getEvaluationSettings({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => ({ status: 200, body: renderSettings(await findSettings(configs, call)) });
}
