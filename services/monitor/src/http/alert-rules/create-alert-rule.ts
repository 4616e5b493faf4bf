import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import { composeAlertRule } from "../../alerts/alert-rule.ts";
import type { AlertRuleStore } from "../../alerts/alert-rule-store.ts";
import { renderAlertRule } from "../../alerts/render-alert-rule.ts";

/** POST /agent-monitoring/alert-rules. */
export function createAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const document = composeAlertRule((await readJsonObject(call)).value, null);
    const stored = await alertRules.create(requireProject(call), document, actOf(call.identity));
    return { status: 201, body: { alertRule: renderAlertRule(stored) } };
  };
}
