import type { Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";
import { showProject, uncached } from "../../projects/show-project.ts";

/** `GET /projects`: in default mode whoever holds one key of the installation sees them all (completions 12.2). */
export function listProjects({ projects }: { projects: ProjectStore }): Handler {
  return async () => {
    const all = await projects.listProjects();
    return { status: 200, headers: uncached, body: { projects: all.map(showProject) } };
  };
}
