import path from "node:path";
import type { Bus, Consuming } from "@touchstone/bus";
import { evalRunsDataDeleted, projectDeleting } from "@touchstone/contracts";
import { createProjectDeletions, type Database, type ProjectDeletions, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** The schema of this service in PostgreSQL, and what makes it. */
export const schema = "evals";
export const migrations = path.join(import.meta.dirname, "..", "migrations");

/** The removal of deleted projects at work. */
interface DeletedProjectRemoval {
  stop(): Promise<void>;
}

/** Every table of the schema with rows of projects; what refers to others comes first. */
const projectTables: readonly ProjectTable[] = [
  { name: "claims" },
  { name: "results" },
  { name: "analyses" },
  { name: "gate_results" },
  { name: "ci_runs" },
  { name: "runs" },
  { name: "dataset_versions" },
  { name: "datasets" },
  { name: "scorer_groups" },
  { name: "grading_config_versions" },
  { name: "grading_configs" },
  { name: "prompt_versions" },
  { name: "prompts" },
  { name: "tool_schema_versions" },
  { name: "tool_schemas" },
  { name: "seeded_content" },
  { name: "live_scorers" },
];

/** Starts removing the rows of deleted projects, and hearing of them. */
export function removeDeletedProjects(options: {
  maintenance: Database;
  bus: Bus;
  /** An event was committed. */
  onConfirmed: () => void;
  logger: Logger;
  graceMs?: number;
}): DeletedProjectRemoval {
  const { maintenance, bus, ...rest } = options;
  const deletions = createProjectDeletions({
    ...rest,
    database: maintenance,
    schema,
    tables: projectTables,
    confirmation: evalRunsDataDeleted,
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
  return bus.consume(projectDeleting, { durable: "eval-runs-project-deleting" }, ({ projectId }) =>
    deletions.begin(projectId),
  );
}
