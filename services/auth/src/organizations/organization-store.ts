import { isUuid, limits } from "@touchstone/contracts";
import type { Database, Statement, Transaction } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import { announceChange, type Role } from "../accounts/membership-store.ts";
import { type Act, recordAudit } from "../audit/audit-event-store.ts";
import { lockOrganization, type Place } from "./locked-organization-reader.ts";
import { removeOrganization } from "./organization-deletion-store.ts";
import { administers, type GivenRole, organizationNotFound, requireRole } from "./roles.ts";

export interface Organization {
  id: string;
  name: string;
  /** The caller's. */
  role: Role;
}

export interface Member {
  id: string;
  userId: string;
  email: string;
  name: string;
  role: Role;
}

/** An administering user, with the data for the audit log. */
export interface Administrator {
  userId: string;
  act: Act;
}

/**
 * Organizations and their members (completions 12.4). Every change reads the caller's role and writes the log in one
 * transaction. Unknown organizations, those of others, and invalid ids are treated the same.
 */
export interface OrganizationStore {
  /** In order of joining. */
  listOfUser(userId: string): Promise<Organization[]>;
  /** A user's membership; null if there is none. */
  findPlace(organizationId: string, userId: string): Promise<Place | null>;
  /** The owner first, then in order of joining. */
  listMembers(organizationId: string): Promise<Member[]>;
  /**
   * Owners and admins; else 403, 404. The name is read only after that check: unauthorized callers do not learn what is
   * wrong with it.
   */
  rename(organizationId: string, readName: () => string, by: Administrator): Promise<Organization>;
  /** Only the owner; else 403, 404. 404: no such member. 400: the member is the owner. */
  changeRole(organizationId: string, memberId: string, readRole: () => GivenRole, by: Administrator): Promise<Member>;
  /**
   * Owners and admins, but admins cannot remove each other (decision 25); else 403. 404: no such member. 400: the
   * member is the owner. Pending invitations that the member sent, or to the member's address, are revoked.
   */
  removeMember(organizationId: string, memberId: string, by: Administrator): Promise<void>;
  /**
   * Deletes the organization with its members, invitations, log and projects; returns the projects. Their keys are
   * invalid with the commit, their data is removed in the background. Only the owner; else 403, 404. 400: wrong name.
   */
  deleteOrganization(organizationId: string, confirmName: unknown, by: Administrator): Promise<string[]>;
}

const memberColumns = `member.id, member.user_id, account.email, account.name, member.role`;

interface MemberRow {
  id: string;
  user_id: string;
  email: string;
  name: string;
  role: Role;
}

const toMember = (row: MemberRow): Member => ({
  id: row.id,
  userId: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role,
});

/** Stores {@link OrganizationStore} in the schema `auth`, under the app role. */
export function createOrganizationStore(database: Database): OrganizationStore {
  return {
    async listOfUser(userId) {
      const { rows } = await database.query<Organization>(selectOrganizations(userId));
      return rows;
    },

    async findPlace(organizationId, userId) {
      if (!isUuid(organizationId)) return null;
      const { rows } = await database.query<{ name: string; role: Role }>(selectPlace(organizationId, userId));
      return rows[0] === undefined ? null : { organizationId, ...rows[0] };
    },

    async listMembers(organizationId) {
      const { rows } = await database.query<MemberRow>(selectMembers(organizationId));
      return rows.map(toMember);
    },

    rename: (organizationId, readName, { userId, act }) =>
      database.transaction(async (transaction) => {
        const place = requireRole(
          await lockOrganization(transaction, organizationId, userId),
          ["owner", "admin"],
          "Only an owner or admin can rename an organization",
        );
        const name = readName();
        await transaction.query(updateName(organizationId, name));
        await recordAudit(transaction, {
          ...act,
          action: "organization.renamed",
          organizationId,
          details: { from: place.name, to: name },
        });
        return { id: organizationId, name, role: place.role };
      }),

    changeRole: (organizationId, memberId, readRole, by) =>
      database.transaction((transaction) => changeRole(transaction, organizationId, memberId, readRole, by)),

    removeMember: (organizationId, memberId, by) =>
      database.transaction((transaction) => removeMember(transaction, organizationId, memberId, by)),

    deleteOrganization: (organizationId, confirmName, { userId, act }) =>
      database.transaction(async (transaction) => {
        const place = await lockOrganization(transaction, organizationId, userId);
        if (place === null) throw organizationNotFound();
        if (place.role !== "owner") throw new AppError("forbidden", "Only the owner can delete an organization");
        if (confirmName !== place.name) {
          throw new AppError("bad_request", `confirmName must be the organization's name: ${place.name}`);
        }
        const projectIds = await removeOrganization(transaction, organizationId);
        await recordAudit(transaction, {
          ...act,
          action: "organization.deleted",
          organizationId: null,
          targetId: organizationId,
          details: { projectsDeleted: projectIds.length },
        });
        return projectIds;
      }),
  };
}

async function changeRole(
  transaction: Transaction,
  organizationId: string,
  memberId: string,
  readRole: () => GivenRole,
  { userId, act }: Administrator,
): Promise<Member> {
  const refusal = "Only the owner can change roles";
  requireRole(await lockOrganization(transaction, organizationId, userId), ["owner"], refusal);
  const role = readRole();
  const member = await requireMember(transaction, organizationId, memberId);
  if (member.role === "owner") throw new AppError("bad_request", "The owner's role cannot be changed");
  if (member.role === role) return member;
  await transaction.query(updateRole(memberId, role));
  const revokedInvitations = role === "member" ? await revokeInvitationsOf(transaction, organizationId, member) : 0;
  await announceChange(transaction, [member.userId]);
  await recordAudit(transaction, {
    ...act,
    action: "member.role-changed",
    organizationId,
    targetId: memberId,
    details: { email: member.email, from: member.role, to: role, revokedInvitations },
  });
  return { ...member, role };
}

async function removeMember(
  transaction: Transaction,
  organizationId: string,
  memberId: string,
  { userId, act }: Administrator,
): Promise<void> {
  const place = await lockOrganization(transaction, organizationId, userId);
  if (place === null || !administers(place.role)) {
    throw new AppError("forbidden", "Only an owner or admin can remove members");
  }
  const member = await requireMember(transaction, organizationId, memberId);
  if (member.role === "owner") throw new AppError("bad_request", "The owner cannot be removed");
  if (member.role === "admin" && place.role !== "owner" && member.userId !== userId) {
    throw new AppError("forbidden", "Only the owner can remove an admin");
  }
  await transaction.query(deleteMember(memberId));
  const revokedInvitations = await revokeInvitationsOf(transaction, organizationId, member);
  await announceChange(transaction, [member.userId]);
  await recordAudit(transaction, {
    ...act,
    action: "member.removed",
    organizationId,
    targetId: memberId,
    details: { email: member.email, role: member.role, revokedInvitations },
  });
}

const selectOrganizations = (userId: string): Statement => ({
  name: "organization_list_of_user",
  text: `
    select organization.id, organization.name, member.role
    from auth.members member
    join auth.organizations organization on organization.id = member.organization_id
    where member.user_id = $1
    order by member.id`,
  values: [userId],
});

const selectPlace = (organizationId: string, userId: string): Statement => ({
  name: "organization_find_place",
  text: `
    select organization.name, member.role
    from auth.members member
    join auth.organizations organization on organization.id = member.organization_id
    where member.organization_id = $1 and member.user_id = $2`,
  values: [organizationId, userId],
});

const selectMembers = (organizationId: string): Statement => ({
  name: "member_list",
  text: `
    select ${memberColumns}
    from auth.members member
    join auth.users account on account.id = member.user_id
    where member.organization_id = $1
    order by member.role <> 'owner', member.id
    limit ${limits.membersListedMax}`,
  values: [organizationId],
});

const updateName = (organizationId: string, name: string): Statement => ({
  name: "organization_rename",
  text: "update auth.organizations set name = $2 where id = $1",
  values: [organizationId, name],
});

const updateRole = (memberId: string, role: Role): Statement => ({
  name: "member_change_role",
  text: "update auth.members set role = $2 where id = $1",
  values: [memberId, role],
});

const deleteMember = (memberId: string): Statement => ({
  name: "member_delete",
  text: "delete from auth.members where id = $1",
  values: [memberId],
});

async function requireMember(transaction: Transaction, organizationId: string, memberId: string): Promise<Member> {
  const { rows } = isUuid(memberId)
    ? await transaction.query<MemberRow>({
        name: "member_find",
        text: `
          select ${memberColumns}
          from auth.members member
          join auth.users account on account.id = member.user_id
          where member.organization_id = $1 and member.id = $2`,
        values: [organizationId, memberId],
      })
    : { rows: [] };
  if (rows[0] === undefined) throw new AppError("not_found", "Member not found");
  return toMember(rows[0]);
}

/**
 * A user who may not invite any more must not return, or bring others, by an old link: one they sent, or one to their
 * own address that they did not need to join. Returns the number of revoked invitations.
 */
async function revokeInvitationsOf(
  transaction: Transaction,
  organizationId: string,
  { userId, email }: Member,
): Promise<number> {
  const { rowCount } = await transaction.query({
    name: "invitations_revoke_of_user",
    text: `
      update auth.invitations
      set revoked_at = now()
      where organization_id = $1 and (invited_by = $2 or email = lower($3))
        and accepted_at is null and revoked_at is null`,
    values: [organizationId, userId, email],
  });
  return rowCount ?? 0;
}
