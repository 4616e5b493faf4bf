import {
  acceptReply,
  auditPage,
  changedMember,
  changedMemberSentences,
  doneReply,
  invitationCreated,
  invitationList,
  invitationParams,
  invitationReply,
  memberList,
  memberParams,
  memberReply,
  organizationDeletion,
  organizationDeletionReply,
  organizationInvitationParams,
  organizationList,
  organizationParams,
  organizationReply,
  renamedOrganization,
  submittedInvitation,
  submittedInvitationSentences,
} from "../http/organizations.ts";
import { organizationAuditQuery } from "../http/own-account.ts";
import { givenNameSentences } from "../http/texts.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { ResponseContract, Route } from "../route.ts";
import { checkedBody, error, forbidden, prefix, small } from "./route-parts.ts";

const teamRoute = {
  owner: "auth",
  authentication: ["session"],
  rateGroup: "credential",
  envelope: "standard",
  deadlineMs: deadlines.gatewayHopMs,
  section: "completions 12.4",
} as const;

const own = `${prefix}/auth-org/organizations/{organizationId}`;
const invited = `${prefix}/auth-org/invitations/{invitationId}`;
const foreign = error("No such organization, or one of others.");
const done: ResponseContract = { description: "Done.", schema: doneReply };

/** Organizations, their members, invitations and log: for signed-in users, where accounts are enabled. */
export const organizationRoutes = {
  listOrganizations: {
    ...teamRoute,
    id: "listOrganizations",
    method: "GET",
    path: `${prefix}/auth-org/organizations`,
    responses: {
      200: { description: "The caller's organizations, and their role in each.", schema: organizationList },
    },
    summary: "List the caller's organizations.",
  },
  renameOrganization: {
    ...teamRoute,
    id: "renameOrganization",
    method: "PATCH",
    path: own,
    params: organizationParams,
    body: judged(small(renamedOrganization), givenNameSentences),
    responses: {
      200: { description: "The organization under its new name.", schema: organizationReply },
      ...checkedBody,
      403: forbidden("The caller is neither owner nor admin."),
      404: foreign,
    },
    summary: "Rename an organization.",
  },
  deleteOrganization: {
    ...teamRoute,
    id: "deleteOrganization",
    method: "DELETE",
    path: own,
    addressRateGroup: "projectDeletion",
    params: organizationParams,
    body: small(organizationDeletion),
    responses: {
      200: {
        description: "Its keys stopped at once; its projects' data goes in the background.",
        schema: organizationDeletionReply,
      },
      ...checkedBody,
      403: forbidden("The caller is not its owner."),
      404: foreign,
    },
    summary: "Delete an organization with all its projects; accounts stay.",
    section: "interface: DELETE auth-org/organizations/{organizationId}",
  },
  listMembers: {
    ...teamRoute,
    id: "listMembers",
    method: "GET",
    path: `${own}/members`,
    params: organizationParams,
    responses: {
      200: { description: "Who is in the organization.", schema: memberList },
      403: forbidden("The caller is not."),
    },
    summary: "List the members of an organization.",
  },
  changeMemberRole: {
    ...teamRoute,
    id: "changeMemberRole",
    method: "PATCH",
    path: `${own}/members/{memberId}`,
    params: memberParams,
    body: judged(small(changedMember), changedMemberSentences),
    responses: {
      200: { description: "The member in the new role.", schema: memberReply },
      ...checkedBody,
      403: forbidden("The caller is not the owner."),
      404: error("No such member, or no such organization of the caller."),
    },
    summary: "Make a member an admin, or an admin a member.",
  },
  removeMember: {
    ...teamRoute,
    id: "removeMember",
    method: "DELETE",
    path: `${own}/members/{memberId}`,
    params: memberParams,
    responses: {
      200: done,
      400: error("The member is the owner."),
      403: forbidden("The caller may not remove this member."),
      404: error("No such member."),
    },
    summary: "Remove a member.",
  },
  createInvitation: {
    ...teamRoute,
    id: "createInvitation",
    method: "POST",
    path: `${own}/invitations`,
    params: organizationParams,
    body: judged(small(submittedInvitation), submittedInvitationSentences),
    responses: {
      201: { description: "The invitation, with its token, and the link to pass on.", schema: invitationCreated },
      ...checkedBody,
      403: forbidden("The caller is neither owner nor admin."),
      409: error("They are a member already, or too many invitations are pending."),
    },
    summary: "Invite a person by e-mail.",
  },
  listInvitations: {
    ...teamRoute,
    id: "listInvitations",
    method: "GET",
    path: `${own}/invitations`,
    params: organizationParams,
    responses: {
      200: { description: "Those that can still be accepted, without their tokens.", schema: invitationList },
      403: forbidden("The caller is neither owner nor admin."),
      404: foreign,
    },
    summary: "List pending invitations.",
  },
  revokeInvitation: {
    ...teamRoute,
    id: "revokeInvitation",
    method: "DELETE",
    path: `${own}/invitations/{invitationId}`,
    params: organizationInvitationParams,
    responses: {
      200: done,
      403: forbidden("The caller is neither owner nor admin."),
      404: error("No such invitation, used or revoked already, or no such organization of the caller."),
    },
    summary: "Revoke an invitation.",
  },
  readInvitation: {
    ...teamRoute,
    id: "readInvitation",
    method: "GET",
    path: invited,
    params: invitationParams,
    responses: {
      200: { description: "Into what, and whether it is for the caller.", schema: invitationReply },
      404: error("No such invitation."),
    },
    summary: "Read the invitation of a link.",
  },
  acceptInvitation: {
    ...teamRoute,
    id: "acceptInvitation",
    method: "POST",
    path: `${invited}/accept`,
    params: invitationParams,
    responses: {
      200: { description: "The caller is a member.", schema: acceptReply },
      403: forbidden("It is for another address, or the caller's is not verified."),
      404: error("No such invitation, or it was used or revoked."),
      410: error("It has expired."),
    },
    summary: "Accept an invitation.",
  },
  listAuditEvents: {
    ...teamRoute,
    id: "listAuditEvents",
    method: "GET",
    path: `${own}/audit`,
    params: organizationParams,
    query: organizationAuditQuery,
    responses: {
      200: { description: "Administrative acts, the newest first.", schema: auditPage },
      400: error("A parameter is wrong."),
      403: forbidden("The caller is not the owner."),
      404: foreign,
    },
    summary: "Read who administered what.",
  },
} as const satisfies Record<string, Route>;
