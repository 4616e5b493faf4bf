import { type Bus, createOutboxKeeper, createOutboxRelay, type OutboxRelay } from "@touchstone/bus";
import { monitorActRecorded, monitorDataDeleted, sessionsJudged, tracesJudged } from "@touchstone/contracts";
import { auditRecorder, createKeptOutboxStore, type Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

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

/** What the outbox may hold. */
const announced = [tracesJudged, sessionsJudged, monitorActRecorded, monitorDataDeleted];

/** Starts publishing what was committed; a row leaves the outbox when it was consumed (decision 19). */
export function relayEvents(options: { maintenance: Database; bus: Bus; logger: Logger }): OutboxRelay {
  const { maintenance, bus, logger } = options;
  const store = createKeptOutboxStore(maintenance, "monitor");
  const keeper = createOutboxKeeper({ store, bus, events: announced });
  return createOutboxRelay({ store, keeper, bus, events: announced, logger, keepMs: 2_000 });
}
