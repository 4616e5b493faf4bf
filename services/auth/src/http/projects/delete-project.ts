import { formatRevokedKeys, revokedKeysHeader } from "@touchstone/contracts";
import { AppError, type Handler } from "@touchstone/service-kit";
import type { MembershipStore } from "../../accounts/membership-store.ts";
import { actOf } from "../../audit/record-audit.ts";
import type { ProjectDeletionStore } from "../../projects/project-deletion-store.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { projectNotFound, requireManagedProject } from "../../projects/require-managed-project.ts";

export interface DeleteProjectDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
  projectDeletions: ProjectDeletionStore;
  /** Says that events were committed; they would go out a moment later anyhow. */
  announceRevocations: () => void;
}

/**
 * `DELETE /projects/{id}`: the key is dead when this answers, and the gateway passes the answer on once nothing more can be
 * stored; the data goes in the background (completions 12.2). Where users
 * sign in, only their owners and admins may: a key that leaked must not be enough.
 */
export function deleteProject(dependencies: DeleteProjectDependencies): Handler {
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
