import type { Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";

export interface ReadDefaultKeyDependencies {
  projects: ProjectStore;
  multiTenant: boolean;
}

/**
 * The key for the line at start (completions 1.1). Null in multi-tenant mode, which has no default project,
 * not even where one is left from before.
 */
export function readDefaultKey({ projects, multiTenant }: ReadDefaultKeyDependencies): Handler {
  return async () => {
    const project = multiTenant ? null : await projects.findDefaultProject();
    return { status: 200, body: { apiKey: project?.apiKey ?? null } };
  };
}
