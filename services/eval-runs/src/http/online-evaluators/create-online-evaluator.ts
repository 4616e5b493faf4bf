import { AppError, actOf, type Handler, isUuid, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { renderEvaluator } from "./evaluator-config.ts";

/** POST /monitor/online-evaluators (completions 9.5). */
export function createOnlineEvaluator({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const { value } = await readJsonObject(call);
    const { name, evaluationSettingsId: id } = value;
    if (typeof name !== "string" || name.trim() === "") {
      throw new AppError("bad_request", "Online evaluator name is required");
    }
    if (typeof id !== "string" || id === "") throw new AppError("bad_request", "evaluationSettingsId is required");
    const change = { members: [], isDefault: undefined, online: value, attaches: true } as const;
    const config = isUuid(id) ? await book.update(requireProject(call), id, change, actOf(call.identity)) : null;
    if (config === null) {
      throw new AppError("bad_request", `evaluationSettingsId "${id}" does not refer to an existing evaluator config`);
    }
    return { status: 201, body: renderEvaluator(config) };
  };
}
