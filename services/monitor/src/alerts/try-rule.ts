import { type alertTrialReply, routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { createLimitInHand, type Handler, parseBody, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import {
  type AlertRuleDocument,
  composeAlertRule,
  isCrossed,
  isDecided,
  type Measurement,
  measuredNothing,
} from "./alert-rule.ts";
import { describeAlert } from "./describe-alert.ts";
import { type MeasuredDays, measureDays } from "./measurement-reader.ts";

const minuteMs = 60_000;
const shownAlertsMax = 20;

/**
 * The results of a rule in consecutive windows. It is evaluated at the end of each window, not each minute like a stored rule,
 * so a short violation between two windows may be missed.
 */
export function tryRule(rule: AlertRuleDocument, measured: MeasuredDays): z.input<typeof alertTrialReply> {
  const windowMs = rule.windowMinutes * minuteMs;
  const { until, oldest, isCut } = measured;
  const byPlace = new Map(measured.windows.map((window) => [window.place, window]));
  const of = (place: number): Measurement => {
    const { value, samples } = byPlace.get(place) ?? measuredNothing(rule);
    return { value, samples };
  };
  const oldestPlace = Math.max(0, ...byPlace.keys());
  // A window that was read only in part has no result; the newest may be one.
  const first = isCut ? oldestPlace - 1 : oldestPlace;
  const tally = { windows: first + 1, undecided: 0, crossed: 0 };
  const alerts: z.input<typeof alertTrialReply>["alerts"] = [];
  let quietUntil = Number.NEGATIVE_INFINITY;
  for (let place = first; place >= 0; place -= 1) {
    const found = of(place);
    if (!isDecided(rule, found)) tally.undecided += 1;
    if (!isCrossed(rule, found)) continue;
    tally.crossed += 1;
    const at = until.getTime() - place * windowMs;
    if (at < quietUntil) continue;
    quietUntil = at + rule.cooldownMinutes * minuteMs;
    alerts.push({
      at: new Date(at).toISOString(),
      value: found.value ?? 0,
      samples: found.samples,
      summary: describeAlert(rule, found),
    });
  }
  const since = isCut || oldest === null ? until.getTime() - tally.windows * windowMs : oldest.getTime();
  return {
    since: new Date(since).toISOString(),
    until: until.toISOString(),
    ...tally,
    alertCount: alerts.length,
    alerts: alerts.toReversed().slice(0, shownAlertsMax),
    newest: first < 0 ? { value: null, samples: 0 } : of(0),
  };
}

const defaultDays = 7;
/** Concurrent trials per replica: each reads up to `limits.alertTrialRowsMax` rows. */
const inHandMax = 4;

/** POST /agent-monitoring/alert-rules/dry-run: the results of a rule over the last days. Its name is optional. */
export function tryAlertRule({ database }: { database: Database }): Handler {
  const limit = createLimitInHand(inHandMax, "Too many alert rules are being tried at the moment; retry.");
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const { name, days, ...said } = parseBody(sent, routes.tryAlertRule.body);
    const rule = composeAlertRule({ ...said, name: name ?? "Dry run" }, null);
    const measured = await limit(() =>
      database.scoped([projectId], (transaction) => measureDays(transaction, projectId, rule, days ?? defaultDays)),
    );
    return { status: 200, body: tryRule(rule, measured) };
  };
}
