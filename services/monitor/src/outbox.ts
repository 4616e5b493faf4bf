import { monitorActRecorded, monitorDataDeleted, sessionsJudged, tracesJudged } from "@touchstone/contracts";
import { auditRecorder } from "@touchstone/db";
import { outboxRelaying } from "@touchstone/store-service";

/** The actions of this service in the audit log. */
type Action =
  | "monitoring-defaults.changed"
  | "monitoring-profile.changed"
  | "pattern.created"
  | "pattern.changed"
  | "pattern.deleted"
  | "custom-evaluator.created"
  | "custom-evaluator.changed"
  | "custom-evaluator.deleted"
  | "alert-rule.created"
  | "alert-rule.changed"
  | "alert-rule.deleted"
  | "webhook.created"
  | "webhook.changed"
  | "webhook.secret-rotated"
  | "webhook.deleted";

export const recordAuditEvent = auditRecorder<Action>("monitor", monitorActRecorded);

/** Starts publishing committed events. */
export const relayEvents = outboxRelaying({
  schema: "monitor",
  events: [tracesJudged, sessionsJudged, monitorActRecorded, monitorDataDeleted],
  keepMs: 2_000,
});
