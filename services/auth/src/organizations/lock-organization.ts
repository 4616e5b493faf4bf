import type { Transaction } from "@touchstone/db";
import { isUuid } from "@touchstone/service-kit";
import type { Role } from "../accounts/membership-store.ts";

/** Somebody's place in an organization. */
export interface Place {
  organizationId: string;
  name: string;
  role: Role;
}

/**
 * Takes the organization for the rest of the transaction, and answers the user's place in it: null when they have none,
 * or there is no such organization. Whatever changes members and invitations begins here, so that a role counts as it is
 * when the act commits, and nobody joins what is being deleted.
 */
export async function lockOrganization(
  transaction: Transaction,
  organizationId: string,
  userId: string,
): Promise<Place | null> {
  if (!isUuid(organizationId)) return null;
  const [organizations, members] = await transaction.pipeline<[{ name: string }, { role: Role }]>([
    {
      name: "organization_lock",
      text: `
        select name
        from auth.organizations
        where id = $1
        for update`,
      values: [organizationId],
    },
    {
      // A statement of its own: it sees what was committed while the lock was waited for.
      name: "member_role",
      text: `
        select role
        from auth.members
        where organization_id = $1 and user_id = $2`,
      values: [organizationId, userId],
    },
  ]);
  const [organization] = organizations.rows;
  const [member] = members.rows;
  return organization === undefined || member === undefined
    ? null
    : { organizationId, name: organization.name, role: member.role };
}
