import { accountOriginHeader, routes } from "@touchstone/contracts";
import { AppError, type Handler, parseBody, type ServedRoute } from "@touchstone/service-kit";
import { invitationLetter } from "../mail/letters.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { InvitationStore } from "../organizations/invitation-store.ts";
import type { OrganizationStore } from "../organizations/organization-store.ts";
import { requireRole } from "../organizations/roles.ts";
import { requireUser } from "./require-user.ts";

/** Routes for invitations, if accounts are enabled. */
export function listInvitationRoutes(dependencies: {
  organizations: OrganizationStore;
  invitations: InvitationStore;
  mailer: Mailer | null;
  publicUrl: string | null;
  announceRevocations: () => void;
}): ServedRoute[] {
  return [
    { route: routes.createInvitation, handle: createInvitation(dependencies) },
    { route: routes.listInvitations, handle: listInvitations(dependencies) },
    { route: routes.revokeInvitation, handle: revokeInvitation(dependencies) },
    { route: routes.readInvitation, handle: readInvitation(dependencies) },
    { route: routes.acceptInvitation, handle: acceptInvitation(dependencies) },
  ];
}

interface CreateInvitationDependencies {
  invitations: InvitationStore;
  /** Null if there is no mail server: the person who invites passes the link on. */
  mailer: Mailer | null;
  publicUrl: string | null;
}

/**
 * `POST /auth-org/organizations/{id}/invitations`: the answer's `_id` is the token, which no other answer shows. If
 * mail is configured, the link is sent too; the result of the mail does not change the answer.
 */
function createInvitation({ invitations, mailer, publicUrl }: CreateInvitationDependencies): Handler {
  return async (call) => {
    const by = requireUser(call);
    const body = await call.json();
    const readInvited = () => ({ role: "member" as const, ...parseBody(body, routes.createInvitation.body) });
    const issued = await invitations.create(call.params.organizationId ?? "", readInvited, by);
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

/** The public URL, else the origin of the page that sent the invitation, whose host the gateway has checked. */
function originOf(publicUrl: string | null, told: string | string[] | undefined): string {
  if (publicUrl !== null) return publicUrl.replace(/(?<!\/)\/+$/, "");
  return typeof told === "string" ? told : "";
}

/** `GET /auth-org/organizations/{id}/invitations`: the pending ones, without their tokens. */
function listInvitations(dependencies: { organizations: OrganizationStore; invitations: InvitationStore }): Handler {
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

/** `DELETE /auth-org/organizations/{id}/invitations/{iid}`: by the id of the list, or by the token. */
function revokeInvitation({ invitations }: { invitations: InvitationStore }): Handler {
  return async (call) => {
    const by = requireUser(call);
    const { organizationId = "", invitationId = "" } = call.params;
    await invitations.revoke(organizationId, invitationId, by);
    return { status: 200, body: { ok: true } };
  };
}

/** `GET /auth-org/invitations/{id}`: describes the invitation to any signed-in user who has the link. */
function readInvitation({ invitations }: { invitations: InvitationStore }): Handler {
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

/** `POST /auth-org/invitations/{id}/accept`: once, by the account of the address it was issued to. */
function acceptInvitation(dependencies: {
  invitations: InvitationStore;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
}): Handler {
  return async (call) => {
    const by = requireUser(call);
    const organizationId = await dependencies.invitations.accept(call.params.invitationId ?? "", by);
    dependencies.announceRevocations();
    return { status: 200, body: { ok: true, organizationId } };
  };
}
