import { AppError, type Handler, isUuid, readAuditPage } from "@touchstone/service-kit";
import type { AuditReader } from "../../audit/audit-reader.ts";
import { showPage } from "../../audit/show-page.ts";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { requireRole } from "../../organizations/roles.ts";
import { requireUser } from "../require-user.ts";

/** `GET /auth-org/organizations/{id}/audit`: administrative acts, the newest first, for the owner. */
export function listAuditEvents(dependencies: { organizations: OrganizationStore; audit: AuditReader }): Handler {
  const { organizations, audit } = dependencies;
  return async (call) => {
    const { userId } = requireUser(call);
    const place = await organizations.findPlace(call.params.organizationId ?? "", userId);
    const { organizationId } = requireRole(place, ["owner"], "Only the owner can read the audit log");
    const { limit, before } = readAuditPage(call.query);
    const { action = null, actorId = null } = call.query;
    if (Array.isArray(action)) throw new AppError("bad_request", "action must be given once");
    if (actorId !== null && (Array.isArray(actorId) || !isUuid(actorId))) {
      throw new AppError("bad_request", "actorId must be the id of a user or project");
    }
    const found = await audit.listOfOrganization(organizationId, { before, limit: limit + 1, action, actorId });
    return { status: 200, body: showPage(found, limit) };
  };
}
