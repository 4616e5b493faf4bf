import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { AlertRuleStore } from "../../alerts/alert-rule-store.ts";
import { alertRuleId, alertRuleNotFound } from "./alert-rule-id.ts";

/** DELETE /agent-monitoring/alert-rules/{alertRuleId}. The signal it raised stays. */
export function deleteAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const isGone = await alertRules.delete(requireProject(call), alertRuleId(call), actOf(call.identity));
    return isGone ? { status: 204 } : alertRuleNotFound();
  };
}
