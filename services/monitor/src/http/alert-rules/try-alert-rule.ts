import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { AppError, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import { composeAlertRule } from "../../alerts/alert-rule.ts";
import { measureDays } from "../../alerts/measure.ts";
import { tryRule } from "../../alerts/try-rule.ts";

const defaultDays = 7;
/** Trials of one replica at a time: each reads up to `limits.alertTrialRowsMax` rows. */
const inHandMax = 4;

/** POST /agent-monitoring/alert-rules/dry-run: what a rule would have said over the last days. Its name may be missing. */
export function tryAlertRule({ database }: { database: Database }): Handler {
  let inHand = 0;
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const rule = composeAlertRule({ ...sent, name: sent.name ?? "Dry run" }, null);
    const days = readDays(sent.days);
    if (inHand >= inHandMax) {
      throw new AppError("service_unavailable", "Too many alert rules are being tried at the moment; retry.");
    }
    inHand += 1;
    try {
      const measured = await database.scoped([projectId], (transaction) =>
        measureDays(transaction, projectId, rule, days),
      );
      return { status: 200, body: tryRule(rule, measured) };
    } finally {
      inHand -= 1;
    }
  };
}

function readDays(value: unknown): number {
  if (value === undefined || value === null) return defaultDays;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limits.alertTrialDaysMax)
    return value;
  throw new AppError("bad_request", `days must be a whole number between 1 and ${limits.alertTrialDaysMax}`);
}
