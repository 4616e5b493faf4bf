import path from "node:path";
import { type Bus, createOutboxRelay } from "@touchstone/bus";
import { judgeDataDeleted, projectDeleting } from "@touchstone/contracts";
import { createOutboxStore, type Database, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { projectRemover } from "@touchstone/store-service";

/** The schema of the service in PostgreSQL, and its migrations. */
export const judgeSchema = {
  schema: "judge",
  directory: path.join(import.meta.dirname, "..", "migrations"),
} as const;

/**
 * Every table of the schema with rows of projects. Verdicts are stored under their owner: an organization's are kept.
 */
const projectTables: readonly ProjectTable[] = [
  { name: "verdicts", projectColumn: "owner_id" },
  { name: "verdict_records" },
  { name: "usage" },
];

const removeRows = projectRemover({
  schema: judgeSchema.schema,
  tables: projectTables,
  deleting: projectDeleting,
  durable: "judge-project-deleting",
  confirmation: judgeDataDeleted,
});

/** Starts removing the rows of deleted projects, listening for deletions, and reporting completed removals. */
export async function removeDeletedProjects(options: {
  maintenance: Database;
  bus: Bus;
  logger: Logger;
  graceMs?: number;
}): Promise<{ stop(): Promise<void> }> {
  const { maintenance, bus, logger } = options;
  // No keeper: events that the event store loses are requested again (decision 24).
  const relay = createOutboxRelay({
    store: createOutboxStore(maintenance, judgeSchema.schema),
    bus,
    events: [judgeDataDeleted],
    logger,
    pollMs: 1_000,
  });
  const removal = await removeRows({ ...options, onConfirmed: () => relay.wake() });
  return {
    async stop() {
      await removal.stop();
      await relay.stop();
    },
  };
}
