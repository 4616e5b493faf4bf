import { AppError, type Handler } from "@touchstone/service-kit";
import type { Membership, MembershipStore } from "../../accounts/membership-store.ts";
import { actOf } from "../../audit/record-audit.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { showProject, uncached } from "../../projects/show-project.ts";
import { readSubmittedProject } from "../../projects/submitted-project.ts";

export interface CreateProjectDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
}

/**
 * `POST /projects`: a new project with a key of its own. Names may repeat. With accounts it belongs to the caller's first
 * organization, or to the one of theirs that the body names (completions 12.2).
 */
export function createProject({ projects, members, hasAccounts }: CreateProjectDependencies): Handler {
  return async (call) => {
    if (!hasAccounts) {
      const { name } = readSubmittedProject(await call.json(), call);
      const project = await projects.createProject(name, null, actOf(call.identity));
      if (project === null) throw new Error("a project of no organization was refused");
      return { status: 201, headers: uncached, body: { project: showProject(project) } };
    }
    const { userId } = call.identity;
    if (userId === null) throw new AppError("unauthorized", "Sign in to create a project");
    const { name, organizationId } = readSubmittedProject(await call.json(), call);
    const chosen = chooseOrganization(await members.membershipsOf(userId), organizationId);
    const project = await projects.createProject(name, chosen, actOf(call.identity));
    // It was deleted meanwhile, and the membership with it.
    if (project === null) throw new AppError("forbidden", "No organization membership");
    return { status: 201, headers: uncached, body: { project: showProject(project) } };
  };
}

/** Throws 403 for who is in none, or not in the one they ask for. */
function chooseOrganization(memberships: readonly Membership[], asked: unknown): string {
  const [first] = memberships;
  const chosen = asked === undefined ? first : memberships.find(({ organizationId }) => organizationId === asked);
  if (chosen !== undefined) return chosen.organizationId;
  throw new AppError(
    "forbidden",
    first === undefined ? "No organization membership" : "Not a member of this organization",
  );
}
