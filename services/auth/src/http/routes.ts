import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { ProjectStore } from "../projects/project-store.ts";
import { getAuthConfig } from "./auth/get-auth-config.ts";
import { resolveKey } from "./internal/resolve-key.ts";
import { createProject } from "./projects/create-project.ts";
import { listProjects } from "./projects/list-projects.ts";
import { rotateProjectKey } from "./projects/rotate-project-key.ts";

/** Everything auth serves. */
export function listRoutes(dependencies: { projects: ProjectStore; announceRevocations: () => void }): ServedRoute[] {
  return [
    { route: internalRoutes.resolveKey, handle: resolveKey(dependencies) },
    { route: routes.getAuthConfig, handle: getAuthConfig(dependencies) },
    { route: routes.listProjects, handle: listProjects(dependencies) },
    { route: routes.createProject, handle: createProject(dependencies) },
    { route: routes.rotateProjectKey, handle: rotateProjectKey(dependencies) },
  ];
}
