import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { AlertRuleStore } from "../../alerts/alert-rule-store.ts";
import { renderAlertRule } from "../../alerts/render-alert-rule.ts";
import { alertRuleId, alertRuleNotFound } from "./alert-rule-id.ts";

/** GET /agent-monitoring/alert-rules/{alertRuleId}. */
export function getAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const stored = await alertRules.find(requireProject(call), alertRuleId(call));
    return { status: 200, body: { alertRule: renderAlertRule(stored ?? alertRuleNotFound()) } };
  };
}
