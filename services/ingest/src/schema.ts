import path from "node:path";
import { ingestDataDeleted, projectDeleting } from "@touchstone/contracts";
import type { ProjectTable } from "@touchstone/db";
import { projectRemover } from "@touchstone/store-service";

/** The schema of the service in PostgreSQL, and its migrations. */
export const ingestSchema = {
  schema: "ingest",
  directory: path.join(import.meta.dirname, "..", "migrations"),
} as const;

/**
 * Every table with rows of projects. The queues of sweepers come first, so that sweepers leave a deleted project alone;
 * identities go before their spans, since new spans of the project are rejected.
 */
const projectTables: readonly ProjectTable[] = [
  { name: "awaited_parents" },
  { name: "traces" },
  { name: "log_fragments" },
  { name: "span_updates" },
  { name: "span_keys" },
  { name: "search_docs", pickedBy: "id" },
  { name: "spans", pickedBy: "id" },
  // After the spans: without its span, no verdict can be added.
  { name: "trace_verdicts" },
  { name: "session_verdicts" },
  { name: "scores" },
  { name: "media_links" },
  { name: "media_parts" },
  { name: "media" },
  { name: "root_counts" },
  { name: "trace_usage" },
  { name: "request_counts" },
  { name: "agents" },
  { name: "model_prices" },
  { name: "price_lists", projectColumn: "owner_id" },
  { name: "retention" },
];

/** Starts removing the rows of deleted projects, and consuming their deletion events. */
export const removeDeletedProjects = projectRemover({
  schema: ingestSchema.schema,
  tables: projectTables,
  deleting: projectDeleting,
  durable: "ingest-project-deleting",
  confirmation: ingestDataDeleted,
});
