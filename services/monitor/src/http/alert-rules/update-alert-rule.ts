import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import { type AlertRuleDocument, composeAlertRule } from "../../alerts/alert-rule.ts";
import type { AlertRuleStore } from "../../alerts/alert-rule-store.ts";
import { renderAlertRule } from "../../alerts/render-alert-rule.ts";
import { alertRuleId, alertRuleNotFound } from "./alert-rule-id.ts";

/** PUT /agent-monitoring/alert-rules/{alertRuleId}: only what is sent changes. */
export function updateAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const compose = (stored: AlertRuleDocument) => composeAlertRule(sent, stored);
    const changed = await alertRules.change(projectId, alertRuleId(call), compose, actOf(call.identity));
    return { status: 200, body: { alertRule: renderAlertRule(changed ?? alertRuleNotFound()) } };
  };
}
