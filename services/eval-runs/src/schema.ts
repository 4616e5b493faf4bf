import type { Bus } from "@touchstone/bus";
import { evalRunsDataDeleted } from "@touchstone/contracts";
import { createProjectDeletions, type Database, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { consumeProjectDeleting } from "./handlers/project-deleting.ts";

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
    schema: "evals",
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
