import path from "node:path";
import { monitorDataDeleted, projectDeleting } from "@touchstone/contracts";
import type { ProjectTable } from "@touchstone/db";
import { projectRemover } from "@touchstone/store-service";

/** The schema of the service in PostgreSQL, and its migrations. */
export const monitorSchema = {
  schema: "monitor",
  directory: path.join(import.meta.dirname, "..", "migrations"),
} as const;

/** Every table of the schema with rows of projects; referencing tables come first. */
const projectTables: readonly ProjectTable[] = [
  { name: "signal_feedback" },
  { name: "signal_occurrences" },
  { name: "signals" },
  { name: "feedback" },
  { name: "outcomes" },
  { name: "seen_traces" },
  { name: "checks" },
  { name: "events" },
  { name: "verdicts" },
  { name: "verdict_exports" },
  { name: "judged_traces" },
  { name: "external_evaluations" },
  { name: "custom_evaluators" },
  { name: "live_scorers" },
  { name: "live_calls" },
  { name: "sessions" },
  { name: "session_scores" },
  { name: "project_settings" },
  { name: "profiles" },
  { name: "patterns" },
  { name: "webhook_deliveries" },
  { name: "webhooks" },
  { name: "alert_rules" },
];

/** Starts removing the rows of deleted projects, and listening for deletions. */
export const removeDeletedProjects = projectRemover({
  schema: monitorSchema.schema,
  tables: projectTables,
  deleting: projectDeleting,
  durable: "monitor-project-deleting",
  confirmation: monitorDataDeleted,
});
