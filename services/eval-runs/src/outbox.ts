import { type Bus, createOutboxKeeper, createOutboxRelay, type OutboxRelay } from "@touchstone/bus";
import {
  evalRunsActRecorded,
  evalRunsDataDeleted,
  gateRecorded,
  liveScorersChanged,
  resultsRated,
} from "@touchstone/contracts";
import { auditRecorder, createKeptOutboxStore, type Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** What the audit log keeps of this service. */
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

/** What the outbox may hold. */
const announced = [liveScorersChanged, gateRecorded, resultsRated, evalRunsActRecorded, evalRunsDataDeleted];

/** Starts publishing what was committed; a row leaves the outbox when it was consumed (decision 19). */
export function relayEvents(options: { maintenance: Database; bus: Bus; logger: Logger }): OutboxRelay {
  const { maintenance, bus, logger } = options;
  const store = createKeptOutboxStore(maintenance, "evals");
  const keeper = createOutboxKeeper({ store, bus, events: announced });
  return createOutboxRelay({ store, keeper, bus, events: announced, logger, pollMs: 500, keepMs: 5_000 });
}
