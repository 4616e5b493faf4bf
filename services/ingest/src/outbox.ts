import {
  type EventContract,
  evaluationsReceived,
  ingestActRecorded,
  ingestDataDeleted,
  modelPricesHandedOver,
  spansSettled,
  tracesSettled,
  tracesStored,
} from "@touchstone/contracts";
import { auditRecorder } from "@touchstone/db";

/** What the outbox may hold. */
export const outboxEvents: readonly EventContract[] = [
  tracesStored,
  tracesSettled,
  spansSettled,
  evaluationsReceived,
  ingestActRecorded,
  ingestDataDeleted,
  modelPricesHandedOver,
];

/** What the audit log keeps of this service. */
type Action = "retention.changed" | "traces.deleted";

export const recordAuditEvent = auditRecorder<Action>("ingest", ingestActRecorded);
