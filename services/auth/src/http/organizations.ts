import {
  formatRevokedKeys,
  isStorable,
  isUuid,
  type memberReply,
  type organizationReply,
  revokedKeysHeader,
  routes,
} from "@touchstone/contracts";
import { AppError, type Handler, parseBody, readAuditPage, type ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import { type AuditReader, showPage } from "../audit/audit-reader.ts";
import type { Member, Organization, OrganizationStore } from "../organizations/organization-store.ts";
import { requireRole } from "../organizations/roles.ts";
import { membersOf, requireUser } from "./require-user.ts";

interface OrganizationRouteDependencies {
  organizations: OrganizationStore;
  audit: AuditReader;
  announceRevocations: () => void;
}

/** Routes for organizations, members and the audit log, if accounts are enabled. */
export function listOrganizationRoutes(dependencies: OrganizationRouteDependencies): ServedRoute[] {
  return [
    { route: routes.listOrganizations, handle: listOrganizations(dependencies) },
    { route: routes.renameOrganization, handle: renameOrganization(dependencies) },
    { route: routes.deleteOrganization, handle: deleteOrganization(dependencies) },
    { route: routes.listMembers, handle: listMembers(dependencies) },
    { route: routes.changeMemberRole, handle: changeMemberRole(dependencies) },
    { route: routes.removeMember, handle: removeMember(dependencies) },
    { route: routes.listAuditEvents, handle: listAuditEvents(dependencies) },
  ];
}

/** `GET /auth-org/organizations`: the caller's organizations, with the role in each. */
function listOrganizations({ organizations }: { organizations: OrganizationStore }): Handler {
  return async (call) => {
    const listed = await organizations.listOfUser(requireUser(call).userId);
    return { status: 200, body: { organizations: listed.map(showOrganization) } };
  };
}

/** `PATCH /auth-org/organizations/{id}`: a new name, by the rules for project names. */
function renameOrganization({ organizations }: { organizations: OrganizationStore }): Handler {
  return async (call) => {
    const by = requireUser(call);
    const body = await call.json();
    const id = call.params.organizationId ?? "";
    const renamed = await organizations.rename(id, () => parseBody(body, routes.renameOrganization.body).name, by);
    return { status: 200, body: { organization: showOrganization(renamed) } };
  };
}

interface DeleteOrganizationDependencies {
  organizations: OrganizationStore;
  /** Publishes committed events at once instead of a moment later. */
  announceRevocations: () => void;
}

/**
 * `DELETE /auth-org/organizations/{id}` (completions 12.4): its keys are invalid when this returns; its data is removed
 * in the background. Accounts are kept.
 */
function deleteOrganization(dependencies: DeleteOrganizationDependencies): Handler {
  return async (call) => {
    const by = requireUser(call);
    const { confirmName } = membersOf(await call.json());
    const id = call.params.organizationId ?? "";
    const projectIds = await dependencies.organizations.deleteOrganization(id, confirmName, by);
    dependencies.announceRevocations();
    const headers = projectIds.length > 0 ? { [revokedKeysHeader]: formatRevokedKeys(projectIds, "deleted") } : {};
    return { status: 200, headers, body: { ok: true, projectsDeleted: projectIds.length } };
  };
}

/** `GET /auth-org/organizations/{id}/members`: for every member. */
function listMembers({ organizations }: { organizations: OrganizationStore }): Handler {
  return async (call) => {
    const { userId } = requireUser(call);
    const place = await organizations.findPlace(call.params.organizationId ?? "", userId);
    if (place === null) throw new AppError("forbidden", "Not a member of this organization");
    const members = await organizations.listMembers(place.organizationId);
    return { status: 200, body: { members: members.map(showMember) } };
  };
}

/** `PATCH /auth-org/organizations/{id}/members/{mid}`: makes a member an admin, or an admin a member. */
function changeMemberRole(dependencies: {
  organizations: OrganizationStore;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
}): Handler {
  return async (call) => {
    const by = requireUser(call);
    const body = await call.json();
    const { organizationId = "", memberId = "" } = call.params;
    const readRole = () => parseBody(body, routes.changeMemberRole.body).role;
    const member = await dependencies.organizations.changeRole(organizationId, memberId, readRole, by);
    dependencies.announceRevocations();
    return { status: 200, body: { member: showMember(member) } };
  };
}

/** `DELETE /auth-org/organizations/{id}/members/{mid}`: their account is kept, without access to the organization. */
function removeMember(dependencies: {
  organizations: OrganizationStore;
  /** Publishes the committed event at once instead of a moment later. */
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

/** `GET /auth-org/organizations/{id}/audit`: administrative acts, newest first, for the owner. */
function listAuditEvents(dependencies: { organizations: OrganizationStore; audit: AuditReader }): Handler {
  const { organizations, audit } = dependencies;
  return async (call) => {
    const { userId } = requireUser(call);
    const place = await organizations.findPlace(call.params.organizationId ?? "", userId);
    const { organizationId } = requireRole(place, ["owner"], "Only the owner can read the audit log");
    const { limit, before } = readAuditPage(call.query);
    const { action = null, actorId = null } = call.query;
    if (Array.isArray(action)) throw new AppError("bad_request", "action must be given once");
    if (action !== null && !isStorable(action)) throw new AppError("bad_request", "action must not contain NUL");
    if (actorId !== null && (Array.isArray(actorId) || !isUuid(actorId))) {
      throw new AppError("bad_request", "actorId must be the id of a user or project");
    }
    const found = await audit.listOfOrganization(organizationId, { before, limit: limit + 1, action, actorId });
    return { status: 200, body: showPage(found, limit) };
  };
}

/** An organization as the API shows it. */
function showOrganization({ id, name, role }: Organization): z.infer<typeof organizationReply>["organization"] {
  return { _id: id, name, role };
}

/** A member as the API shows it. */
function showMember({ id, ...member }: Member): z.infer<typeof memberReply>["member"] {
  return { _id: id, ...member };
}
