import { formatRevokedKeys, type project as projectContract, revokedKeysHeader, routes } from "@touchstone/contracts";
import { AppError, type Handler, parseBody, type ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import type { Membership, MembershipStore } from "../accounts/membership-store.ts";
import { actOf } from "../audit/audit-event-store.ts";
import type { ProjectDeletionStore } from "../projects/project-deletion-store.ts";
import type { Project, ProjectStore } from "../projects/project-store.ts";
import { projectNotFound, requireManagedProject } from "../projects/require-managed-project.ts";
import { readSubmittedProject } from "../projects/submitted-project.ts";

/** Projects and their keys (completions 12.2). */
export function listProjectRoutes(dependencies: {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
  projectDeletions: ProjectDeletionStore;
  /** Publishes committed events at once instead of a moment later. */
  announceRevocations: () => void;
}): ServedRoute[] {
  return [
    { route: routes.listProjects, handle: listProjects(dependencies) },
    { route: routes.createProject, handle: createProject(dependencies) },
    { route: routes.renameProject, handle: renameProject(dependencies) },
    { route: routes.deleteProject, handle: deleteProject(dependencies) },
    { route: routes.rotateProjectKey, handle: rotateProjectKey(dependencies) },
  ];
}

interface ListProjectsDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
}

/**
 * `GET /projects` (completions 12.2): in default mode every key of the installation sees all of them; with accounts,
 * those of the caller's organizations.
 */
function listProjects({ projects, members, hasAccounts }: ListProjectsDependencies): Handler {
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

interface CreateProjectDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
}

/**
 * `POST /projects`: a new project with a new key. Names may repeat. With accounts it belongs to the caller's first
 * organization, or to the one that the body names (completions 12.2).
 */
function createProject({ projects, members, hasAccounts }: CreateProjectDependencies): Handler {
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
    // The organization and the membership were deleted in the meantime.
    if (project === null) throw new AppError("forbidden", "No organization membership");
    return { status: 201, headers: uncached, body: { project: showProject(project) } };
  };
}

/** Throws 403 if the caller has no organization, or is not in the requested one. */
function chooseOrganization(memberships: readonly Membership[], asked: unknown): string {
  const [first] = memberships;
  const chosen = asked === undefined ? first : memberships.find(({ organizationId }) => organizationId === asked);
  if (chosen !== undefined) return chosen.organizationId;
  throw new AppError(
    "forbidden",
    first === undefined ? "No organization membership" : "Not a member of this organization",
  );
}

/** `PATCH /projects/{id}`: a new name, by the rules for new projects; keys and data stay (completions 12.2). */
function renameProject(dependencies: {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
}): Handler {
  return async (call) => {
    // First, so that an unreadable body is 400 whatever the path names.
    const body = await call.json();
    const projectId = await requireManagedProject({ ...dependencies, wish: "rename a project" }, call);
    const project = await dependencies.projects.renameProject(
      projectId,
      parseBody(body, routes.renameProject.body).name,
      actOf(call.identity),
    );
    if (project === null) throw projectNotFound();
    return { status: 200, headers: uncached, body: { project: showProject(project) } };
  };
}

interface DeleteProjectDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
  projectDeletions: ProjectDeletionStore;
  /** Publishes committed events at once instead of a moment later. */
  announceRevocations: () => void;
}

/**
 * `DELETE /projects/{id}`: the key is invalid when this returns, and the gateway passes the answer on once nothing more
 * can be stored; the data is removed in the background (completions 12.2). With accounts, only owners and admins may
 * delete: a leaked key must not be enough.
 */
function deleteProject(dependencies: DeleteProjectDependencies): Handler {
  const { hasAccounts, projectDeletions, announceRevocations } = dependencies;
  const wish = "delete a project";
  return async (call) => {
    const projectId = await requireManagedProject({ ...dependencies, wish }, call);
    if (hasAccounts && call.identity.userId === null) {
      throw new AppError("forbidden", `Only an owner or admin can ${wish}`);
    }
    const outcome = await projectDeletions.deleteProject(projectId, actOf(call.identity));
    if (outcome === "missing") throw projectNotFound();
    if (outcome === "default") throw new AppError("bad_request", "The default project cannot be deleted");
    if (outcome === "only") throw new AppError("bad_request", "Cannot delete the only remaining project");
    announceRevocations();
    return { status: 204, headers: { [revokedKeysHeader]: formatRevokedKeys([projectId], "deleted") } };
  };
}

interface RotateProjectKeyDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
}

/**
 * `POST /projects/{id}/rotate-key`: with that project's key, or the session of an owner or admin (completions 12.2);
 * any other project counts as missing.
 */
function rotateProjectKey(dependencies: RotateProjectKeyDependencies): Handler {
  const { projects, announceRevocations } = dependencies;
  return async (call) => {
    const { projectId: own, userId } = call.identity;
    if (userId === null && own !== null && own !== call.params.projectId) throw projectNotFound();
    const projectId = await requireManagedProject({ ...dependencies, wish: "rotate a project's key" }, call);
    const project = await projects.rotateKey(projectId, actOf(call.identity));
    if (project === null) throw projectNotFound();
    announceRevocations();
    const headers = { ...uncached, [revokedKeysHeader]: formatRevokedKeys([projectId], "rotated") };
    return { status: 200, headers, body: { project: showProject(project) } };
  };
}

/** A project as the API shows it, including its key (completions 12.2). */
function showProject(project: Project): z.infer<typeof projectContract> {
  return {
    _id: project.id,
    name: project.name,
    apiKey: project.apiKey,
    isDefault: project.isDefault,
    organizationId: project.organizationId,
    createdAt: project.createdAt.toISOString(),
  };
}

/** Browsers and proxies must not store an answer with a key. */
export const uncached = { "cache-control": "no-store" };
