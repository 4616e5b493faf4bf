import type { Handler } from "@touchstone/service-kit";
import type { InvitationStore } from "../../organizations/invitation-store.ts";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { requireRole } from "../../organizations/roles.ts";
import { requireUser } from "../require-user.ts";

/** `GET /auth-org/organizations/{id}/invitations`: the pending ones, without their tokens. */
export function listInvitations(dependencies: {
  organizations: OrganizationStore;
  invitations: InvitationStore;
}): Handler {
  const { organizations, invitations } = dependencies;
  return async (call) => {
    const { userId } = requireUser(call);
    const place = await organizations.findPlace(call.params.organizationId ?? "", userId);
    const { organizationId } = requireRole(place, ["owner", "admin"], "Only an owner or admin can see invitations");
    const pending = await invitations.listPending(organizationId);
    return {
      status: 200,
      body: {
        invitations: pending.map(({ id, email, role, createdAt, expiresAt }) => ({
          _id: id,
          email,
          role,
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
      },
    };
  };
}
