import type { Handler } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderEvaluator, requireEvaluatorConfig } from "./evaluator-config.ts";

/** GET /monitor/online-evaluators/{onlineEvaluatorId} (completions 9.5). */
export function getOnlineEvaluator({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => ({ status: 200, body: renderEvaluator(await requireEvaluatorConfig(call, configs)) });
}
