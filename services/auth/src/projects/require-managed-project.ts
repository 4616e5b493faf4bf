import { isUuid } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";
import type { MembershipStore } from "../accounts/membership-store.ts";
import { administers } from "../organizations/roles.ts";
import type { ProjectStore } from "./project-store.ts";

export interface ManagedProjectOptions {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
  /** The action, as the error message names it: `rename a project`. */
  wish: string;
}

/**
 * The project of the path, if this caller may change it: with a session, as owner or admin of its organization, else
 * 403; with its own key; in default mode with the default project's key, which is the operator's (decision 24). Any
 * other project counts as missing: 404 `Project not found`. Throws 401 for an anonymous caller.
 */
export async function requireManagedProject(options: ManagedProjectOptions, call: Call): Promise<string> {
  const { projects, members, hasAccounts, wish } = options;
  const { userId, projectId: own } = call.identity;
  const wanted = call.params.projectId ?? "";
  if (userId === null && own === null) throw new AppError("unauthorized", "Sign in first");
  if (!isUuid(wanted)) throw projectNotFound();
  if (userId !== null) {
    const role = await members.roleInProject(userId, wanted);
    if (role === null) throw projectNotFound();
    if (!administers(role)) throw new AppError("forbidden", `Only an owner or admin can ${wish}`);
    return wanted;
  }
  if (own === wanted) return wanted;
  if (!hasAccounts && own !== null && (await projects.isDefaultProject(own))) return wanted;
  throw projectNotFound();
}

export function projectNotFound(): AppError {
  return new AppError("not_found", "Project not found");
}
