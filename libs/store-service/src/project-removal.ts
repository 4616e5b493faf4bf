import type { Bus } from "@touchstone/bus";
import type { projectDeleting } from "@touchstone/contracts";
import { createProjectDeletions, type Database, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** How one service removes the rows of deleted projects. */
interface ProjectRemoval {
  schema: string;
  /** Every table of the schema with rows of projects; referring tables come first. */
  tables: readonly ProjectTable[];
  /** The event that closes a project: explicit, so that a service's code shows what it consumes. */
  deleting: typeof projectDeleting;
  durable: string;
  /** The event that confirms the removal of all data of a project. */
  confirmation: { subject: string; body: { parse(value: { projectId: string }): unknown } };
}

/**
 * Makes the function that starts removing the rows of deleted projects and consuming `event.project.deleting.v1`, which
 * closes a project; its rows are removed in the background (decision 24).
 */
export function projectRemover({ schema, tables, deleting, durable, confirmation }: ProjectRemoval) {
  return async (options: {
    maintenance: Database;
    bus: Bus;
    /** A confirmation was committed to the outbox. */
    onConfirmed: () => void;
    logger: Logger;
    graceMs?: number;
  }): Promise<{ stop(): Promise<void> }> => {
    const { maintenance, bus, ...rest } = options;
    const deletions = createProjectDeletions({ ...rest, database: maintenance, schema, tables, confirmation });
    const consuming = await bus.consume(deleting, { durable }, ({ projectId }) => deletions.begin(projectId));
    return {
      async stop() {
        await consuming.stop();
        await deletions.stop();
      },
    };
  };
}
