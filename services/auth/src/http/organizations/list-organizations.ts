import type { Handler } from "@touchstone/service-kit";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { requireUser } from "../require-user.ts";
import { showOrganization } from "./show-organization.ts";

/** `GET /auth-org/organizations`: the caller's, with their role in each. */
export function listOrganizations({ organizations }: { organizations: OrganizationStore }): Handler {
  return async (call) => {
    const listed = await organizations.listOfUser(requireUser(call).userId);
    return { status: 200, body: { organizations: listed.map(showOrganization) } };
  };
}
