import type { Bus, Consuming } from "@touchstone/bus";
import { projectDeleting } from "@touchstone/contracts";
import type { ProjectDeletions } from "@touchstone/db";

/** Consumes `event.project.deleting.v1`: closes the project; its rows go in the background. */
export function consumeProjectDeleting(
  bus: Bus,
  { deletions }: { deletions: Pick<ProjectDeletions, "begin"> },
): Promise<Consuming> {
  return bus.consume(projectDeleting, { durable: "eval-runs-project-deleting" }, ({ projectId }) =>
    deletions.begin(projectId),
  );
}
