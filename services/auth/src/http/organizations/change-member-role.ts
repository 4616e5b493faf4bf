import { AppError, type Handler } from "@touchstone/service-kit";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { membersOf, requireUser } from "../require-user.ts";
import { showMember } from "./show-organization.ts";

/** `PATCH /auth-org/organizations/{id}/members/{mid}`: makes a member an admin, or an admin a member. */
export function changeMemberRole(dependencies: {
  organizations: OrganizationStore;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}): Handler {
  return async (call) => {
    const by = requireUser(call);
    const { role } = membersOf(await call.json());
    const { organizationId = "", memberId = "" } = call.params;
    const readRole = (): "admin" | "member" => {
      if (role === "admin" || role === "member") return role;
      throw new AppError("bad_request", 'role must be "admin" or "member"');
    };
    const member = await dependencies.organizations.changeRole(organizationId, memberId, readRole, by);
    dependencies.announceRevocations();
    return { status: 200, body: { member: showMember(member) } };
  };
}
