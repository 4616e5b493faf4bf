import { AppError, type Handler } from "@touchstone/service-kit";
import type { InvitationStore } from "../../organizations/invitation-store.ts";
import { requireUser } from "../require-user.ts";

/** `GET /auth-org/invitations/{id}`: what the link is about, for whoever has it and is signed in. */
export function readInvitation({ invitations }: { invitations: InvitationStore }): Handler {
  return async (call) => {
    const { userId } = requireUser(call);
    const token = call.params.invitationId ?? "";
    const invitation = await invitations.read(token, userId);
    if (invitation === null) throw new AppError("not_found", "Invitation not found");
    return {
      status: 200,
      headers: { "cache-control": "no-store" },
      body: { invitation: { _id: token, ...invitation } },
    };
  };
}
