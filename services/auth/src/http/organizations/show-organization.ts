import type { memberReply, organizationReply } from "@touchstone/contracts";
import type { z } from "zod";
import type { Member, Organization } from "../../organizations/organization-store.ts";

/** An organization as the API shows it. */
export function showOrganization({ id, name, role }: Organization): z.infer<typeof organizationReply>["organization"] {
  return { _id: id, name, role };
}

/** A member as the API shows them. */
export function showMember({ id, ...member }: Member): z.infer<typeof memberReply>["member"] {
  return { _id: id, ...member };
}
