import { type alertRule, isUuid, routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import {
  AppError,
  actOf,
  type Call,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { type AlertRuleDocument, composeAlertRule, type StoredAlertRule } from "./alert-rule.ts";
import type { AlertRuleStore } from "./alert-rule-store.ts";
import { tryAlertRule } from "./try-rule.ts";

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

/** POST /agent-monitoring/alert-rules. */
function createAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const document = composeAlertRule(parseBody((await readJsonObject(call)).value, routes.createAlertRule.body), null);
    const stored = await alertRules.create(requireProject(call), document, actOf(call.identity));
    return { status: 201, body: { alertRule: renderAlertRule(stored) } };
  };
}

/** GET /agent-monitoring/alert-rules: oldest first. */
function listAlertRules({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const stored = await alertRules.list(requireProject(call));
    return { status: 200, body: { alertRules: stored.map(renderAlertRule) } };
  };
}

/** GET /agent-monitoring/alert-rules/{alertRuleId}. */
function getAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const stored = await alertRules.find(requireProject(call), alertRuleId(call));
    return { status: 200, body: { alertRule: renderAlertRule(stored ?? alertRuleNotFound()) } };
  };
}

/** PUT /agent-monitoring/alert-rules/{alertRuleId}: changes only the members that were sent. */
function updateAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const compose = (stored: AlertRuleDocument) =>
      composeAlertRule(parseBody(sent, routes.updateAlertRule.body), stored);
    const changed = await alertRules.change(projectId, alertRuleId(call), compose, actOf(call.identity));
    return { status: 200, body: { alertRule: renderAlertRule(changed ?? alertRuleNotFound()) } };
  };
}

/** DELETE /agent-monitoring/alert-rules/{alertRuleId}. The signal it raised stays. */
function deleteAlertRule({ alertRules }: { alertRules: AlertRuleStore }): Handler {
  return async (call) => {
    const isGone = await alertRules.delete(requireProject(call), alertRuleId(call), actOf(call.identity));
    return isGone ? { status: 204 } : alertRuleNotFound();
  };
}

/** The alert rule in the path. Throws 404 for a malformed id. */
function alertRuleId(call: Call): string {
  const id = call.params.alertRuleId ?? "";
  return isUuid(id) ? id : alertRuleNotFound();
}

function alertRuleNotFound(): never {
  throw new AppError("not_found", "Alert rule not found");
}

/** A rule as the API shows it. */
function renderAlertRule(stored: StoredAlertRule): z.input<typeof alertRule> {
  return {
    _id: stored.id,
    ...stored.document,
    lastFiredAt: stored.lastFiredAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}
