import type { Handler } from "@touchstone/service-kit";
import type { InvitationStore } from "../../organizations/invitation-store.ts";
import { requireUser } from "../require-user.ts";

/** `DELETE /auth-org/organizations/{id}/invitations/{iid}`: by the id of the list, or by the token. */
export function revokeInvitation({ invitations }: { invitations: InvitationStore }): Handler {
  return async (call) => {
    const by = requireUser(call);
    const { organizationId = "", invitationId = "" } = call.params;
    await invitations.revoke(organizationId, invitationId, by);
    return { status: 200, body: { ok: true } };
  };
}
