import path from "node:path";
import type { Bus, Consuming } from "@touchstone/bus";
import { monitorDataDeleted, projectDeleting } from "@touchstone/contracts";
import { createProjectDeletions, type Database, type ProjectDeletions, type ProjectTable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** Monitor's own schema in PostgreSQL, and what makes it. */
export const schema = "monitor";
export const migrations = path.join(import.meta.dirname, "..", "migrations");

/** The removal of deleted projects at work. */
export interface DeletedProjectRemoval {
  stop(): Promise<void>;
}

/** Every table of the schema with rows of projects; what refers to others comes first. */
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
    confirmation: monitorDataDeleted,
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
  return bus.consume(projectDeleting, { durable: "monitor-project-deleting" }, ({ projectId }) =>
    deletions.begin(projectId),
  );
}
