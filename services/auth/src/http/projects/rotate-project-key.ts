import { AppError, type Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";
import { showProject, uncached } from "../../projects/show-project.ts";

export interface RotateProjectKeyDependencies {
  projects: ProjectStore;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}

/** `POST /projects/{id}/rotate-key`: only under that project's own key; any other project is as good as missing. */
export function rotateProjectKey({ projects, announceRevocations }: RotateProjectKeyDependencies): Handler {
  return async (call) => {
    const own = call.identity.projectId;
    const project = own !== null && own === call.params.projectId ? await projects.rotateKey(own) : null;
    if (project === null) throw new AppError("not_found", "Project not found");
    announceRevocations();
    return { status: 200, headers: uncached, body: { project: showProject(project) } };
  };
}
