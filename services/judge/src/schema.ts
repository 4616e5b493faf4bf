import path from "node:path";
import { type Bus, type Consuming, createOutboxRelay } from "@touchstone/bus";
import { judgeDataDeleted, projectDeleting } from "@touchstone/contracts";
import {
  createOutboxStore,
  createProjectDeletions,
  type Database,
  type ProjectDeletions,
  type ProjectTable,
} from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** The schema of this service in PostgreSQL, and what makes it. */
export const schema = "judge";
export const migrations = path.join(import.meta.dirname, "..", "migrations");

/** The removal of deleted projects at work. */
export interface DeletedProjectRemoval {
  stop(): Promise<void>;
}

/**
 * Every table of the schema with rows of projects. Verdicts are kept under whose they are: an organization's stay with it.
 */
const projectTables: readonly ProjectTable[] = [
  { name: "verdicts", projectColumn: "owner_id" },
  { name: "verdict_records" },
  { name: "usage" },
];

/** Starts removing the rows of deleted projects, hearing of them, and saying when all are gone. */
export function removeDeletedProjects(options: {
  maintenance: Database;
  bus: Bus;
  logger: Logger;
  graceMs?: number;
}): DeletedProjectRemoval {
  const { maintenance, bus, logger, ...timing } = options;
  // No keeper: what the event store loses is asked for again (decision 24).
  const relay = createOutboxRelay({
    store: createOutboxStore(maintenance, schema),
    bus,
    events: [judgeDataDeleted],
    logger,
    pollMs: 1_000,
  });
  const deletions = createProjectDeletions({
    ...timing,
    database: maintenance,
    schema,
    tables: projectTables,
    confirmation: judgeDataDeleted,
    onConfirmed: () => relay.wake(),
    logger,
  });
  const consuming = consumeProjectDeleting(bus, { deletions });
  return {
    async stop() {
      await (await consuming).stop();
      await deletions.stop();
      await relay.stop();
    },
  };
}

/** Consumes `event.project.deleting.v1`: closes the project; its rows go in the background. */
function consumeProjectDeleting(
  bus: Bus,
  { deletions }: { deletions: Pick<ProjectDeletions, "begin"> },
): Promise<Consuming> {
  return bus.consume(projectDeleting, { durable: "judge-project-deleting" }, ({ projectId }) =>
    deletions.begin(projectId),
  );
}
