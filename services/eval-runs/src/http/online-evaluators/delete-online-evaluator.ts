import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import type { ConfigStore } from "../../graders/config-store.ts";
import { requireEvaluatorConfig } from "./evaluator-config.ts";

/** DELETE /monitor/online-evaluators/{onlineEvaluatorId} (completions 9.5): the config itself stays. */
export function deleteOnlineEvaluator({ book, configs }: { book: ConfigBook; configs: ConfigStore }): Handler {
  return async (call) => {
    const { id } = await requireEvaluatorConfig(call, configs);
    const change = { members: [], isDefault: undefined, online: null };
    await book.update(requireProject(call), id, change, actOf(call.identity));
    return { status: 204 };
  };
}
