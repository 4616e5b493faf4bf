import { formatRevokedKeys, revokedKeysHeader } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { membersOf, requireUser } from "../require-user.ts";

export interface DeleteOrganizationDependencies {
  organizations: OrganizationStore;
  /** Says that events were committed; they would go out a moment later anyhow. */
  announceRevocations: () => void;
}

/**
 * `DELETE /auth-org/organizations/{id}` (completions 12.4): its keys are dead when this answers; the data goes in
 * the background. Accounts survive.
 */
export function deleteOrganization(dependencies: DeleteOrganizationDependencies): Handler {
  return async (call) => {
    const by = requireUser(call);
    const { confirmName } = membersOf(await call.json());
    const id = call.params.organizationId ?? "";
    const projectIds = await dependencies.organizations.deleteOrganization(id, confirmName, by);
    dependencies.announceRevocations();
    const headers = projectIds.length > 0 ? { [revokedKeysHeader]: formatRevokedKeys(projectIds, "deleted") } : {};
    return { status: 200, headers, body: { ok: true, projectsDeleted: projectIds.length } };
  };
}
