import path from "node:path";
import { ingestDataDeleted, projectDeleting } from "@touchstone/contracts";
import type { ProjectTable } from "@touchstone/db";
import { projectRemover } from "@touchstone/store-service";

/** What the service keeps in PostgreSQL, and where the steps are that make it. Search needs the extensions. */
export const ingestSchema = {
  schema: "ingest",
  directory: path.join(import.meta.dirname, "..", "migrations"),
  extensions: ["pg_trgm", "btree_gin"],
} as const;

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
export const removeDeletedProjects = projectRemover({
  schema: ingestSchema.schema,
  tables: projectTables,
  deleting: projectDeleting,
  durable: "ingest-project-deleting",
  confirmation: ingestDataDeleted,
});
