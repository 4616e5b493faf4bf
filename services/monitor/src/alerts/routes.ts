import { routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import { createAlertRule } from "../http/alert-rules/create-alert-rule.ts";
import { deleteAlertRule } from "../http/alert-rules/delete-alert-rule.ts";
import { getAlertRule } from "../http/alert-rules/get-alert-rule.ts";
import { listAlertRules } from "../http/alert-rules/list-alert-rules.ts";
import { tryAlertRule } from "../http/alert-rules/try-alert-rule.ts";
import { updateAlertRule } from "../http/alert-rules/update-alert-rule.ts";
import type { AlertRuleStore } from "./alert-rule-store.ts";

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
