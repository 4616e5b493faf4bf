import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { ReadExportedProject } from "../projects/exported-project.ts";
import type { ProjectStore } from "../projects/project-store.ts";
import { getAuthConfig } from "./auth/get-auth-config.ts";
import { exportProjectSettings } from "./export/export-project-settings.ts";
import { countExported } from "./internal/count-exported.ts";
import { resolveKey } from "./internal/resolve-key.ts";
import { createProject } from "./projects/create-project.ts";
import { listProjects } from "./projects/list-projects.ts";
import { rotateProjectKey } from "./projects/rotate-project-key.ts";

/** Everything auth serves. */
export function listRoutes(dependencies: {
  projects: ProjectStore;
  readExportedProject: ReadExportedProject;
  announceRevocations: () => void;
}): ServedRoute[] {
  return [
    { route: internalRoutes.resolveKey, handle: resolveKey(dependencies) },
    { route: routes.getAuthConfig, handle: getAuthConfig(dependencies) },
    { route: routes.listProjects, handle: listProjects(dependencies) },
    { route: routes.createProject, handle: createProject(dependencies) },
    { route: routes.rotateProjectKey, handle: rotateProjectKey(dependencies) },
    { route: routes.exportProjectSettings, handle: exportProjectSettings(dependencies) },
    { route: internalRoutes.countAuthExport, handle: countExported(dependencies) },
  ];
}
