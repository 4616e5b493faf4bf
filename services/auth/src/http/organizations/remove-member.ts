import type { Handler } from "@touchstone/service-kit";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { requireUser } from "../require-user.ts";

/** `DELETE /auth-org/organizations/{id}/members/{mid}`: their account stays, and opens nothing of the organization. */
export function removeMember(dependencies: {
  organizations: OrganizationStore;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}): Handler {
  return async (call) => {
    const by = requireUser(call);
    const { organizationId = "", memberId = "" } = call.params;
    await dependencies.organizations.removeMember(organizationId, memberId, by);
    dependencies.announceRevocations();
    return { status: 200, body: { ok: true } };
  };
}
