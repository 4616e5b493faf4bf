import path from "node:path";
import { evalRunsDataDeleted, projectDeleting } from "@touchstone/contracts";
import type { ProjectTable } from "@touchstone/db";
import { projectRemover } from "@touchstone/store-service";

/** The schema of the service in PostgreSQL, and its migrations. */
export const evalRunsSchema = {
  schema: "evals",
  directory: path.join(import.meta.dirname, "..", "migrations"),
} as const;

/** Every table of the schema with rows of projects; referencing tables come first. */
const projectTables: readonly ProjectTable[] = [
  { name: "claims" },
  { name: "results" },
  { name: "analyses" },
  { name: "gate_results" },
  { name: "ci_runs" },
  { name: "named_runs" },
  { name: "run_items" },
  { name: "deleted_external_runs" },
  { name: "runs" },
  { name: "dataset_versions" },
  { name: "case_ids" },
  { name: "datasets" },
  { name: "scorer_groups" },
  { name: "grading_config_versions" },
  { name: "grading_configs" },
  { name: "prompt_labels" },
  { name: "prompt_versions" },
  { name: "prompts" },
  { name: "tool_schema_versions" },
  { name: "tool_schemas" },
  { name: "seeded_content" },
  { name: "live_scorers" },
];

/** Starts removing the rows of deleted projects, and listening for deletions. */
export const removeDeletedProjects = projectRemover({
  schema: evalRunsSchema.schema,
  tables: projectTables,
  deleting: projectDeleting,
  durable: "eval-runs-project-deleting",
  confirmation: evalRunsDataDeleted,
});
