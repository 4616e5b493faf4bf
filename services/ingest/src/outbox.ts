import {
  type EventContract,
  evaluationsReceived,
  experimentItemsRecorded,
  ingestActRecorded,
  ingestDataDeleted,
  modelPricesHandedOver,
  spansSettled,
  tracesSettled,
  tracesStored,
} from "@touchstone/contracts";
import { auditRecorder } from "@touchstone/db";

/** The events that the outbox may hold. */
export const outboxEvents: readonly EventContract[] = [
  tracesStored,
  tracesSettled,
  spansSettled,
  evaluationsReceived,
  experimentItemsRecorded,
  ingestActRecorded,
  ingestDataDeleted,
  modelPricesHandedOver,
];

/** The actions of this service in the audit log. */
type Action = "retention.changed" | "traces.deleted";

export const recordAuditEvent = auditRecorder<Action>("ingest", ingestActRecorded);
