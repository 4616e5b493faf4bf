import type { Handler } from "@touchstone/service-kit";
import type { OrganizationStore } from "../../organizations/organization-store.ts";
import { readProjectName } from "../../projects/submitted-project.ts";
import { requireUser } from "../require-user.ts";
import { showOrganization } from "./show-organization.ts";

/** `PATCH /auth-org/organizations/{id}`: a new name, by the rules for names of projects. */
export function renameOrganization({ organizations }: { organizations: OrganizationStore }): Handler {
  return async (call) => {
    const by = requireUser(call);
    const body = await call.json();
    const id = call.params.organizationId ?? "";
    const renamed = await organizations.rename(id, () => readProjectName(body), by);
    return { status: 200, body: { organization: showOrganization(renamed) } };
  };
}
