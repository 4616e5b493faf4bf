import { opensNamedProject, type ResolvedSession, type Route } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { Caller } from "../caller.ts";

/**
 * The access that a session gives on a route, if accounts are enabled (completions 12.6).
 *
 * - `account`: the sign-in family; auth reads the cookie itself.
 * - `user`: `/projects` and `/auth-org`, for the user's own resources. Keys are not accepted.
 * - `userOrKey`: `/projects/{id}`: the project's key is accepted too, and wins.
 * - `project`: a project of the user: the named one, or the first.
 * - `namedProject`: the same, but `x-project-id` must name the project.
 * - `none`: keys only.
 */
export type SessionUse = "account" | "user" | "userOrKey" | "project" | "namedProject" | "none";

export function sessionUseOf(route: Route): SessionUse {
  const { authentication, owner, path } = route;
  if (authentication.includes("account")) return "account";
  if (opensNamedProject(route)) return "namedProject";
  if (!authentication.includes("session")) return "none";
  if (owner !== "auth") return "project";
  return authentication.includes("key") && path.includes("{projectId}") ? "userOrKey" : "user";
}

/** Throws 403 if the user's role is lower than the route requires. */
export function requireSessionRole(route: Route, caller: Caller): void {
  if (hasSessionRole(route, caller)) return;
  throw new AppError("forbidden", "Only an owner or admin of the organization can do this");
}

function hasSessionRole({ sessionRole }: Route, { user }: Caller): boolean {
  return sessionRole !== "admin" || user?.role === "owner" || user?.role === "admin";
}

/** Whether the session has access to the project, in the role that the route needs. */
export function mayEnter(route: Route, session: ResolvedSession, asked: string | null): boolean {
  const isKnown = session.projects.some(({ projectId }) => asked === null || projectId === asked);
  return isKnown && hasSessionRole(route, enterProject(session, asked));
}

/**
 * The caller in a project of their session. Throws 404 for a project without access, as for one that does not exist.
 */
export function enterProject({ userId, memberships, projects }: ResolvedSession, asked: string | null): Caller {
  const project = asked === null ? projects[0] : projects.find(({ projectId }) => projectId === asked);
  if (project === undefined) throw new AppError("not_found", "Project not found");
  const { projectId, organizationId } = project;
  const role = memberships.find((membership) => membership.organizationId === organizationId)?.role ?? null;
  return { projectId, organizationId, user: { userId, role } };
}
