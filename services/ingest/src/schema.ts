import path from "node:path";
import type { Bus, Consuming } from "@touchstone/bus";
import { ingestDataDeleted, projectDeleting } from "@touchstone/contracts";
import { createProjectDeletions, type Database, type ProjectDeletions, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** What the service keeps in PostgreSQL, and where the steps are that make it. Search needs the extensions. */
export const ingestSchema = {
  schema: "ingest",
  directory: path.join(import.meta.dirname, "..", "migrations"),
  extensions: ["pg_trgm", "btree_gin"],
} as const;

/** The removal of deleted projects at work. */
interface DeletedProjectRemoval {
  stop(): Promise<void>;
}

/**
 * Every table of the schema with rows of projects. First what sweepers act on, so that they leave a deleted project
 * alone; span identities go before the spans they name, since what is refused anyhow need not be recognised.
 */
const projectTables: readonly ProjectTable[] = [
  { name: "awaited_parents" },
  { name: "traces" },
  { name: "log_fragments" },
  { name: "span_keys" },
  { name: "search_docs", pickedBy: "id" },
  { name: "spans", pickedBy: "id" },
  // After the spans: without one, nothing is said of it any more.
  { name: "trace_verdicts" },
  { name: "session_verdicts" },
  { name: "root_counts" },
  { name: "trace_usage" },
  { name: "request_counts" },
  { name: "agents" },
  { name: "model_prices" },
  { name: "price_lists", projectColumn: "owner_id" },
  { name: "retention" },
];

/** Starts removing the rows of deleted projects, and hearing of them. */
export function removeDeletedProjects(options: {
  maintenance: Database;
  bus: Bus;
  logger: Logger;
  /** An event was committed. */
  onConfirmed: () => void;
  graceMs?: number;
}): DeletedProjectRemoval {
  const { maintenance, bus, ...rest } = options;
  const deletions = createProjectDeletions({
    ...rest,
    database: maintenance,
    schema: "ingest",
    tables: projectTables,
    confirmation: ingestDataDeleted,
  });
  const consuming = consumeProjectDeleting(bus, { deletions });
  return {
    async stop() {
      await (await consuming).stop();
      await deletions.stop();
    },
  };
}

/** Consumes `event.project.deleting.v1`: closes the project; its rows go in the background. */
function consumeProjectDeleting(
  bus: Bus,
  { deletions }: { deletions: Pick<ProjectDeletions, "begin"> },
): Promise<Consuming> {
  return bus.consume(projectDeleting, { durable: "ingest-project-deleting" }, ({ projectId }) =>
    deletions.begin(projectId),
  );
}
