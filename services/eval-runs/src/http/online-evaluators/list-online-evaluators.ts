import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderEvaluators } from "./evaluator-config.ts";

/** GET /monitor/online-evaluators (completions 9.5). */
export function listOnlineEvaluators({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const evaluators: ReturnType<typeof renderEvaluators> = [];
    for await (const config of configs.live(requireProject(call))) evaluators.push(...renderEvaluators(config));
    return { status: 200, body: { evaluators } };
  };
}
