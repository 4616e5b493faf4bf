import { type Bus, createOutboxRelay } from "@touchstone/bus";
import { judgeDataDeleted } from "@touchstone/contracts";
import { createOutboxStore, createProjectDeletions, type Database, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { consumeProjectDeleting } from "./handlers/project-deleting.ts";

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
    store: createOutboxStore(maintenance, "judge"),
    bus,
    events: [judgeDataDeleted],
    logger,
    pollMs: 1_000,
  });
  const deletions = createProjectDeletions({
    ...timing,
    database: maintenance,
    schema: "judge",
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
