import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { settingsId, settingsNotFound } from "./find-settings.ts";

/** DELETE /custom-agent-evaluations/evaluation-settings/{evaluationSettingsId} (completions 4.1). */
export function deleteEvaluationSettings({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const id = settingsId(call);
    const isGone =
      id !== null && (await book.delete(requireProject(call), id, { withProfile: false, act: actOf(call.identity) }));
    return isGone ? { status: 200, body: { deleted: true } } : settingsNotFound();
  };
}
