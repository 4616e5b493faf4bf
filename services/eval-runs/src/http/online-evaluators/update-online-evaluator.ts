import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderEvaluator, requireEvaluatorConfig } from "./evaluator-config.ts";

/** PUT /monitor/online-evaluators/{onlineEvaluatorId} (completions 9.5): only what is sent changes. */
export function updateOnlineEvaluator({ book, configs }: { book: ConfigBook; configs: ConfigStore }): Handler {
  return async (call) => {
    const { value: online } = await readJsonObject(call);
    const { id } = await requireEvaluatorConfig(call, configs);
    const change = { members: [], isDefault: undefined, online };
    const config = await book.update(requireProject(call), id, change, actOf(call.identity));
    return { status: 200, body: renderEvaluator(config) };
  };
}
