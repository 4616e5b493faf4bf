import type { Handler } from "@touchstone/service-kit";
import type { MembershipStore } from "../../accounts/membership-store.ts";
import { actOf } from "../../audit/record-audit.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { projectNotFound, requireManagedProject } from "../../projects/require-managed-project.ts";
import { showProject, uncached } from "../../projects/show-project.ts";
import { readProjectName } from "../../projects/submitted-project.ts";

/** `PATCH /projects/{id}`: a new name, by the rules for the first one; keys and data stay (completions 12.2). */
export function renameProject(dependencies: {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
}): Handler {
  return async (call) => {
    // First: a body that cannot be read is 400 whatever the path names.
    const body = await call.json();
    const projectId = await requireManagedProject({ ...dependencies, wish: "rename a project" }, call);
    const project = await dependencies.projects.renameProject(projectId, readProjectName(body), actOf(call.identity));
    if (project === null) throw projectNotFound();
    return { status: 200, headers: uncached, body: { project: showProject(project) } };
  };
}
