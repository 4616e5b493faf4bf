import { ingestActRecorded } from "@touchstone/contracts";
import { auditRecorder } from "@touchstone/db";

/** What the audit log keeps of this service. */
type Action = "retention.changed" | "traces.deleted";

export const recordAuditEvent = auditRecorder<Action>("ingest", ingestActRecorded);
