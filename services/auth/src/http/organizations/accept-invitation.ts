import type { Handler } from "@touchstone/service-kit";
import type { InvitationStore } from "../../organizations/invitation-store.ts";
import { requireUser } from "../require-user.ts";

/** `POST /auth-org/invitations/{id}/accept`: once, by the account of the address it was issued to. */
export function acceptInvitation({ invitations }: { invitations: InvitationStore }): Handler {
  return async (call) => {
    const by = requireUser(call);
    const organizationId = await invitations.accept(call.params.invitationId ?? "", by);
    return { status: 200, body: { ok: true, organizationId } };
  };
}
