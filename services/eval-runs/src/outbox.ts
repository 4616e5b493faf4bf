import {
  evalRunsActRecorded,
  evalRunsDataDeleted,
  gateRecorded,
  liveScorersChanged,
  resultsRated,
} from "@touchstone/contracts";
import { auditRecorder } from "@touchstone/db";
import { outboxRelaying } from "@touchstone/store-service";

/** The actions of this service in the audit log. */
type Action =
  | "grading-config.created"
  | "grading-config.changed"
  | "grading-config.deleted"
  | "grading-config-version.deleted"
  | "scorer-group.created"
  | "scorer-group.changed"
  | "scorer-group.deleted"
  | "dataset.deleted"
  | "dataset-version.deleted"
  | "run.deleted"
  | "tool-schema.deleted";

export const recordAuditEvent = auditRecorder<Action>("evals", evalRunsActRecorded);

/** Starts publishing committed events. */
export const relayEvents = outboxRelaying({
  schema: "evals",
  events: [liveScorersChanged, gateRecorded, resultsRated, evalRunsActRecorded, evalRunsDataDeleted],
  pollMs: 500,
  keepMs: 5_000,
});
