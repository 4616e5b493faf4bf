import type { Answer } from "@touchstone/service-kit";
import { daysInForce } from "../../retention/days-in-force.ts";

/** What both routes of a project's retention answer. */
export function showRetention(own: number | null, ofInstallation: number | null): Answer {
  return {
    status: 200,
    body: { retentionDays: own, effectiveRetentionDays: daysInForce(own, ofInstallation) },
  };
}
