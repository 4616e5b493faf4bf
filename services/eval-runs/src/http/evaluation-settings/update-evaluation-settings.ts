import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { readSettingsChange } from "../../graders/read-settings-change.ts";
import { renderSettings } from "../../graders/render-config.ts";
import { settingsId, settingsNotFound } from "./find-settings.ts";

/** PUT /custom-agent-evaluations/evaluation-settings/{evaluationSettingsId} (completions 4.1): only what is sent changes. */
export function updateEvaluationSettings({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readSettingsChange(await readJsonObject(call));
    const id = settingsId(call);
    const config = id === null ? null : await book.update(requireProject(call), id, change, actOf(call.identity));
    return { status: 200, body: renderSettings(config ?? settingsNotFound()) };
  };
}
