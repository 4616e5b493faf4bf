import type { alertRule } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredAlertRule } from "./alert-rule.ts";

/** A rule as the API shows it. */
export function renderAlertRule(stored: StoredAlertRule): z.input<typeof alertRule> {
  return {
    _id: stored.id,
    ...stored.document,
    lastFiredAt: stored.lastFiredAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}
