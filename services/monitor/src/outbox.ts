import { monitorActRecorded } from "@touchstone/contracts";
import { auditRecorder } from "@touchstone/db";

/** What the audit log keeps of this service. */
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
