import { AppError, type Handler } from "@touchstone/service-kit";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { requireUser } from "../require-user.ts";
import { showMember } from "./show-organization.ts";

/** `GET /auth-org/organizations/{id}/members`: for everybody who is in it. */
export function listMembers({ organizations }: { organizations: OrganizationStore }): Handler {
  return async (call) => {
    const { userId } = requireUser(call);
    const place = await organizations.findPlace(call.params.organizationId ?? "", userId);
    if (place === null) throw new AppError("forbidden", "Not a member of this organization");
    const members = await organizations.listMembers(place.organizationId);
    return { status: 200, body: { members: members.map(showMember) } };
  };
}
