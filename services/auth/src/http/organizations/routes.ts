import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { AuditReader } from "../../audit/audit-reader.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { InvitationStore } from "../../organizations/invitation-store.ts";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { changeMemberRole } from "./change-member-role.ts";
import { createInvitation } from "./create-invitation.ts";
import { deleteOrganization } from "./delete-organization.ts";
import { listAuditEvents } from "./list-audit-events.ts";
import { listInvitations } from "./list-invitations.ts";
import { listMembers } from "./list-members.ts";
import { listOrganizations } from "./list-organizations.ts";
import { readInvitation } from "./read-invitation.ts";
import { removeMember } from "./remove-member.ts";
import { renameOrganization } from "./rename-organization.ts";
import { revokeInvitation } from "./revoke-invitation.ts";

export interface OrganizationRouteDependencies {
  organizations: OrganizationStore;
  invitations: InvitationStore;
  audit: AuditReader;
  mailer: Mailer | null;
  publicUrl: string | null;
  announceRevocations: () => void;
}

/** Organizations, members, invitations and the log, where accounts are enabled. */
export function listOrganizationRoutes(dependencies: OrganizationRouteDependencies): ServedRoute[] {
  return [
    { route: routes.listOrganizations, handle: listOrganizations(dependencies) },
    { route: routes.renameOrganization, handle: renameOrganization(dependencies) },
    { route: routes.deleteOrganization, handle: deleteOrganization(dependencies) },
    { route: routes.listMembers, handle: listMembers(dependencies) },
    { route: routes.changeMemberRole, handle: changeMemberRole(dependencies) },
    { route: routes.removeMember, handle: removeMember(dependencies) },
    { route: routes.createInvitation, handle: createInvitation(dependencies) },
    { route: routes.listInvitations, handle: listInvitations(dependencies) },
    { route: routes.revokeInvitation, handle: revokeInvitation(dependencies) },
    { route: routes.readInvitation, handle: readInvitation(dependencies) },
    { route: routes.acceptInvitation, handle: acceptInvitation(dependencies) },
    { route: routes.listAuditEvents, handle: listAuditEvents(dependencies) },
  ];
}
