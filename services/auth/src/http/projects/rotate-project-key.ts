import { formatRevokedKeys, revokedKeysHeader } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { MembershipStore } from "../../accounts/membership-store.ts";
import { actOf } from "../../audit/record-audit.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { projectNotFound, requireManagedProject } from "../../projects/require-managed-project.ts";
import { showProject, uncached } from "../../projects/show-project.ts";

export interface RotateProjectKeyDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  hasAccounts: boolean;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}

/**
 * `POST /projects/{id}/rotate-key`: under that project's own key, or with the session of an owner or admin (completions
 * 12.2); any other project is as good as missing.
 */
export function rotateProjectKey(dependencies: RotateProjectKeyDependencies): Handler {
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
