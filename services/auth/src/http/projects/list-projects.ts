import { AppError, type Handler } from "@touchstone/service-kit";
import type { MembershipStore } from "../../accounts/membership-store.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { showProject, uncached } from "../../projects/show-project.ts";

export interface ListProjectsDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
}

/**
 * `GET /projects` (completions 12.2): in default mode whoever holds one key of the installation sees them all; with
 * accounts, those of the caller's organizations.
 */
export function listProjects({ projects, members, hasAccounts }: ListProjectsDependencies): Handler {
  return async (call) => {
    let organizationIds: string[] | undefined;
    if (hasAccounts) {
      const { userId } = call.identity;
      if (userId === null) throw new AppError("unauthorized", "Sign in to list projects");
      organizationIds = (await members.membershipsOf(userId)).map(({ organizationId }) => organizationId);
    }
    const listed = await projects.listProjects(organizationIds);
    return { status: 200, headers: uncached, body: { projects: listed.map(showProject) } };
  };
}
