import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { OrganizationReader } from "../../projects/organization-reader.ts";

/** The gateway's question: which organizations are there, and whose projects are whose? */
export function readOrganizations({ organizations }: { organizations: OrganizationReader }): Handler {
  return async (call) => {
    const { organizationId } = internalRoutes.readOrganizations.body.parse(await call.json());
    const [listed, unassigned] = await Promise.all([
      organizations.listOrganizations(organizationId),
      organizationId === null ? organizations.listUnassigned() : [],
    ]);
    return {
      status: 200,
      body: {
        organizations: listed.map((each) => ({ ...each, createdAt: each.createdAt.toISOString() })),
        unassigned,
      },
    };
  };
}
