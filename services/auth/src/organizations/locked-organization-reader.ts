import { isUuid } from "@touchstone/contracts";
import type { Transaction } from "@touchstone/db";
import type { Role } from "../accounts/membership-store.ts";

/** A user's membership of an organization. */
export interface Place {
  organizationId: string;
  name: string;
  role: Role;
}

/**
 * Locks the organization for the rest of the transaction, and returns the user's membership: null if there is none, or
 * no such organization. Every change of members and invitations begins here, so that the role is current when the act
 * commits, and users cannot join an organization that is being deleted.
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
      // A separate statement: it sees rows committed while the lock was awaited.
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
