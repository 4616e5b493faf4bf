import { z } from "zod";
import { givenName } from "./texts.ts";

const role = z.enum(["owner", "admin", "member"]);
/** The roles that can be assigned: an organization has one owner, who created it. */
const givenRole = z.enum(["admin", "member"]);

export const organizationParams = z.object({ organizationId: z.string() });
export const memberParams = organizationParams.extend({ memberId: z.string() });
export const organizationInvitationParams = organizationParams.extend({
  invitationId: z.string().describe("The id in the list of pending invitations, or the token of the link."),
});
export const invitationParams = z.object({ invitationId: z.string().describe("The token of the link.") });

const organization = z.object({ _id: z.string(), name: z.string(), role });
export const organizationList = z.object({ organizations: z.array(organization) });
export const renamedOrganization = z.object({ name: givenName });
export const organizationReply = z.object({ organization });
export const organizationDeletion = z.object({ confirmName: z.string().describe("The organization's name.") });
export const organizationDeletionReply = z.object({ ok: z.literal(true), projectsDeleted: z.number().int() });

const member = z.object({ _id: z.string(), userId: z.string(), email: z.string(), name: z.string(), role });
export const memberList = z.object({ members: z.array(member) });
export const changedMember = z.object({ role: givenRole });
export const changedMemberSentences = { role: 'role must be "admin" or "member"' } as const;
export const memberReply = z.object({ member });

/** As it is compared and stored: without space around it, in lower case. */
const invitedEmail = z
  .string()
  .trim()
  .toLowerCase()
  .refine((text) => text.length <= 254 && z.email().safeParse(text).success);
export const submittedInvitation = z.object({ email: invitedEmail, role: givenRole.default("member").optional() });
export const submittedInvitationSentences = { ...changedMemberSentences, email: "A valid email is required" } as const;
const invitation = z.object({ _id: z.string(), email: z.string(), role: givenRole, expiresAt: z.string() });
/** The only answer that contains the token: as the id, and in the link. */
export const invitationCreated = z.object({ invitation, url: z.string() });
export const invitationList = z.object({ invitations: z.array(invitation.extend({ createdAt: z.string() })) });
export const invitationReply = z.object({
  invitation: z.object({
    _id: z.string(),
    organizationName: z.string(),
    email: z.string(),
    role: givenRole,
    status: z.enum(["pending", "accepted", "expired", "revoked"]),
    /** Whether the caller is the invited user. */
    emailMatches: z.boolean(),
  }),
});
export const acceptReply = z.object({ ok: z.literal(true), organizationId: z.string() });
export const doneReply = z.object({ ok: z.literal(true) });

export const auditQuery = z.object({
  limit: z.string().optional().describe("1 to 200, default 50"),
  cursor: z.string().optional().describe("The event to continue after; take it from nextCursor."),
});
/** An act in the log, as it is displayed. */
export const auditEvent = z.object({
  _id: z.string(),
  action: z.string().describe("Such as `member.removed`."),
  actor: z.object({
    type: z.enum(["user", "key", "admin"]),
    id: z.string().nullable().describe("The user, or the project of the key; null for the operator's token."),
    name: z.string().nullable(),
    email: z.string().nullable(),
  }),
  projectId: z.string().nullable(),
  targetId: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  requestId: z.string(),
  createdAt: z.string(),
});
export const auditPage = z.object({ events: z.array(auditEvent), nextCursor: z.string().nullable() });
