import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { readSettingsChange } from "../../graders/read-settings-change.ts";
import { renderSettings } from "../../graders/render-config.ts";

/** POST /custom-agent-evaluations/evaluation-settings (completions 4.1): 201 with the config itself. */
export function createEvaluationSettings({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readSettingsChange(await readJsonObject(call));
    const config = await book.create(requireProject(call), change, actOf(call.identity));
    return { status: 201, body: renderSettings(config) };
  };
}
