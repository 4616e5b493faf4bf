import { routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import type { AlertRuleStore } from "../../alerts/alert-rule-store.ts";
import { createAlertRule } from "./create-alert-rule.ts";
import { deleteAlertRule } from "./delete-alert-rule.ts";
import { getAlertRule } from "./get-alert-rule.ts";
import { listAlertRules } from "./list-alert-rules.ts";
import { tryAlertRule } from "./try-alert-rule.ts";
import { updateAlertRule } from "./update-alert-rule.ts";

/** Rules over traffic (completions 10). */
export function alertRuleRoutes(dependencies: { alertRules: AlertRuleStore; database: Database }): ServedRoute[] {
  return [
    { route: routes.createAlertRule, handle: createAlertRule(dependencies) },
    { route: routes.tryAlertRule, handle: tryAlertRule(dependencies) },
    { route: routes.listAlertRules, handle: listAlertRules(dependencies) },
    { route: routes.getAlertRule, handle: getAlertRule(dependencies) },
    { route: routes.updateAlertRule, handle: updateAlertRule(dependencies) },
    { route: routes.deleteAlertRule, handle: deleteAlertRule(dependencies) },
  ];
}
