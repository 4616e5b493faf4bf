import type { Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";
import { showProject, uncached } from "../../projects/show-project.ts";
import { readSubmittedProject } from "../../projects/submitted-project.ts";

/** `POST /projects`: a new project with a key of its own. Names may repeat. */
export function createProject({ projects }: { projects: ProjectStore }): Handler {
  return async (call) => {
    const { name } = readSubmittedProject(await call.json(), call.identity.projectId);
    const project = await projects.createProject(name);
    return { status: 201, headers: uncached, body: { project: showProject(project) } };
  };
}
