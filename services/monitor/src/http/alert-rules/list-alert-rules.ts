import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { AlertRuleStore } from "../../alerts/alert-rule-store.ts";
import { renderAlertRule } from "../../alerts/render-alert-rule.ts";

/** GET /agent-monitoring/alert-rules: oldest first. */
export function listAlertRules({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const stored = await alertRules.list(requireProject(call));
    return { status: 200, body: { alertRules: stored.map(renderAlertRule) } };
  };
}
