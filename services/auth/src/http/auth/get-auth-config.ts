import { AppError, type Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";
import { uncached } from "../../projects/show-project.ts";

/** `GET /auth/config`: default mode has no accounts, and hands out the default project's key (interface: Modes). */
export function getAuthConfig({ projects }: { projects: ProjectStore }): Handler {
  return async () => {
    const project = await projects.findDefaultProject();
    if (project === null) throw new AppError("store_unavailable", "The service is starting; retry.");
    return { status: 200, headers: uncached, body: { mode: "disabled", needsSetup: false, apiKey: project.apiKey } };
  };
}
