import { accountOriginHeader, invitedEmail } from "@touchstone/contracts";
import { AppError, type Handler } from "@touchstone/service-kit";
import { invitationLetter } from "../../mail/letters.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { GivenRole, InvitationStore } from "../../organizations/invitation-store.ts";
import { membersOf, requireUser } from "../require-user.ts";

export interface CreateInvitationDependencies {
  invitations: InvitationStore;
  /** Null: the link is passed on by whoever invites. */
  mailer: Mailer | null;
  publicUrl: string | null;
}

/**
 * `POST /auth-org/organizations/{id}/invitations`: the answer's `_id` is the token, and no other answer shows it again.
 * Where mail is sent, the link goes out too; what becomes of the mail changes no answer.
 */
export function createInvitation({ invitations, mailer, publicUrl }: CreateInvitationDependencies): Handler {
  return async (call) => {
    const by = requireUser(call);
    const body = membersOf(await call.json());
    const issued = await invitations.create(call.params.organizationId ?? "", () => readInvited(body), by);
    const { token, email, role, expiresAt, organizationName } = issued;
    const url = `${originOf(publicUrl, call.headers[accountOriginHeader])}/accept-invite?token=${token}`;
    mailer?.post(invitationLetter(email, { organizationName, url }));
    return {
      status: 201,
      headers: { "cache-control": "no-store" },
      body: { invitation: { _id: token, email, role, expiresAt: expiresAt.toISOString() }, url },
    };
  };
}

function readInvited({ email, role }: Readonly<Record<string, unknown>>): { email: string; role: GivenRole } {
  const address = invitedEmail.safeParse(email);
  if (!address.success) throw new AppError("bad_request", "A valid email is required");
  if (role === undefined) return { email: address.data, role: "member" };
  if (role === "admin" || role === "member") return { email: address.data, role };
  throw new AppError("bad_request", 'role must be "admin" or "member"');
}

/** Without a public URL, the origin of the page from which somebody invites: the gateway checked its host. */
function originOf(publicUrl: string | null, told: string | string[] | undefined): string {
  if (publicUrl !== null) return publicUrl.replace(/(?<!\/)\/+$/, "");
  return typeof told === "string" ? told : "";
}
