import { hash, randomBytes } from "node:crypto";
import { isUuid, limits } from "@touchstone/contracts";
import type { Database, Statement, Transaction } from "@touchstone/db";
import { AppError, uuidv7 } from "@touchstone/service-kit";
import { recordAudit } from "../audit/audit-event-store.ts";
import { acceptInvitation } from "./invitation-acceptance-store.ts";
import { lockOrganization } from "./locked-organization-reader.ts";
import type { Administrator } from "./organization-store.ts";
import { administers, type GivenRole, requireRole } from "./roles.ts";

export interface PendingInvitation {
  /** Public: it grants no access. */
  id: string;
  email: string;
  role: GivenRole;
  createdAt: Date;
  expiresAt: Date;
}

/** A new invitation: the token is returned once and not stored. */
export interface IssuedInvitation extends PendingInvitation {
  token: string;
  organizationName: string;
}

export interface FoundInvitation {
  organizationName: string;
  email: string;
  role: GivenRole;
  status: "pending" | "accepted" | "expired" | "revoked";
  emailMatches: boolean;
}

/** Invitations (interface: Teams and invitations; completions 12.4; decision 25). Times are PostgreSQL's. */
export interface InvitationStore {
  /**
   * Invites an address, given in lower case, for seven days; a pending invitation of the address is revoked. Owners and
   * admins, else 403; the invited address is read only after that check. 409: a member has the address already, or too
   * many are pending.
   */
  create(
    organizationId: string,
    readInvited: () => { email: string; role: GivenRole },
    by: Administrator,
  ): Promise<IssuedInvitation>;
  /** Those that can be accepted, newest first. */
  listPending(organizationId: string): Promise<PendingInvitation[]>;
  /**
   * By its public id or its token. Owners and admins, else 403, 404. 404: it cannot be accepted any more, or does not
   * exist.
   */
  revoke(organizationId: string, idOrToken: string, by: Administrator): Promise<void>;
  /** Null: no such token. */
  read(token: string, userId: string): Promise<FoundInvitation | null>;
  /**
   * Makes the user a member, once, and returns the organization's id. An existing member becomes an admin if invited as
   * one; no role is lowered. 404: unknown, used or revoked; 410: expired; 403: it was issued to another address, or the
   * user's address is not verified although that is required.
   */
  accept(token: string, by: Administrator): Promise<string>;
}

export interface InvitationStoreOptions {
  database: Database;
  /** Only users with a verified address can accept. */
  requiresVerification: boolean;
}

interface InvitationRow {
  id: string;
  email: string;
  role: GivenRole;
  created_at: Date;
  expires_at: Date;
}

/** Stores {@link InvitationStore} in the schema `auth`, under the app role. */
export function createInvitationStore({ database, requiresVerification }: InvitationStoreOptions): InvitationStore {
  return {
    create: (organizationId, readInvited, { userId, act }) =>
      database.transaction(async (transaction) => {
        const place = await lockOrganization(transaction, organizationId, userId);
        if (place === null || !administers(place.role)) {
          throw new AppError("forbidden", "Only an owner or admin can invite members");
        }
        const { email, role } = readInvited();
        await refuseMember(transaction, organizationId, email);
        const replaced = await revokePendingOf(transaction, organizationId, email);
        await requireRoom(transaction, organizationId);
        const token = createInvitationToken();
        const { rows } = await transaction.query<InvitationRow>(
          insertInvitation(token, { organizationId, email, role, invitedBy: userId }),
        );
        const issued = toPending(rows[0] as InvitationRow);
        await recordAudit(transaction, {
          ...act,
          action: "invitation.created",
          organizationId,
          targetId: issued.id,
          details: { email, role, replaced },
        });
        return { ...issued, token, organizationName: place.name };
      }),

    async listPending(organizationId) {
      const { rows } = await database.query<InvitationRow>(selectPending(organizationId));
      return rows.map(toPending);
    },

    revoke: (organizationId, idOrToken, { userId, act }) =>
      database.transaction(async (transaction) => {
        requireRole(
          await lockOrganization(transaction, organizationId, userId),
          ["owner", "admin"],
          "Only an owner or admin can revoke invitations",
        );
        const { rows } = await transaction.query<{ id: string; email: string }>(
          revokeInvitation(organizationId, idOrToken),
        );
        const [revoked] = rows;
        if (revoked === undefined) throw new AppError("not_found", "Invitation not found");
        await recordAudit(transaction, {
          ...act,
          action: "invitation.revoked",
          organizationId,
          targetId: revoked.id,
          details: { email: revoked.email },
        });
      }),

    async read(token, userId) {
      const { rows } = await database.query<FoundRow>(selectInvitation(token, userId));
      const [row] = rows;
      if (row === undefined) return null;
      const { organization_name: organizationName, email, role, status, email_matches: emailMatches } = row;
      return { organizationName, email, role, status, emailMatches };
    },

    accept: (token, by) =>
      database.transaction((transaction) =>
        acceptInvitation(transaction, digestOf(token), by, { requiresVerification }),
      ),
  };
}

const insertInvitation = (
  token: string,
  invited: { organizationId: string; email: string; role: GivenRole; invitedBy: string },
): Statement => ({
  name: "invitation_insert",
  text: `
    insert into auth.invitations (id, token_hash, organization_id, email, role, invited_by)
    values ($1, $2, $3, $4, $5, $6)
    returning id, email, role, created_at, expires_at`,
  values: [uuidv7(Date.now()), digestOf(token), invited.organizationId, invited.email, invited.role, invited.invitedBy],
});

const selectPending = (organizationId: string): Statement => ({
  name: "invitation_list_pending",
  text: `
    select id, email, role, created_at, expires_at
    from auth.invitations
    where organization_id = $1 and accepted_at is null and revoked_at is null and expires_at > now()
    order by id desc`,
  values: [organizationId],
});

const revokeInvitation = (organizationId: string, idOrToken: string): Statement => ({
  name: "invitation_revoke",
  text: `
    update auth.invitations
    set revoked_at = now()
    where organization_id = $1 and (id = $2 or token_hash = $3)
      and accepted_at is null and revoked_at is null
    returning id, email`,
  values: [organizationId, isUuid(idOrToken) ? idOrToken : null, digestOf(idOrToken)],
});

interface FoundRow {
  organization_name: string;
  email: string;
  role: GivenRole;
  status: FoundInvitation["status"];
  email_matches: boolean;
}

const selectInvitation = (token: string, userId: string): Statement => ({
  name: "invitation_read",
  text: `
    select organization.name as organization_name, invitation.email, invitation.role,
      case
        when invitation.accepted_at is not null then 'accepted'
        when invitation.revoked_at is not null then 'revoked'
        when invitation.expires_at <= now() then 'expired'
        else 'pending'
      end as status,
      invitation.email = (select lower(email) from auth.users where id = $2) as email_matches
    from auth.invitations invitation
    join auth.organizations organization on organization.id = invitation.organization_id
    where invitation.token_hash = $1`,
  values: [digestOf(token), userId],
});

const toPending = (row: InvitationRow): PendingInvitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

async function refuseMember(transaction: Transaction, organizationId: string, email: string): Promise<void> {
  const { rows } = await transaction.query({
    name: "member_find_by_address",
    text: `
      select
      from auth.members member
      join auth.users account on account.id = member.user_id
      where member.organization_id = $1 and lower(account.email) = $2`,
    values: [organizationId, email],
  });
  if (rows.length > 0) throw new AppError("conflict", `${email} is already a member of this organization`);
}

/** An address has one valid link at a time: the newest. Returns the number of revoked ones. */
async function revokePendingOf(transaction: Transaction, organizationId: string, email: string): Promise<number> {
  const { rowCount } = await transaction.query({
    name: "invitations_revoke_of_address",
    text: `
      update auth.invitations
      set revoked_at = now()
      where organization_id = $1 and email = $2
        and accepted_at is null and revoked_at is null and expires_at > now()`,
    values: [organizationId, email],
  });
  return rowCount ?? 0;
}

async function requireRoom(transaction: Transaction, organizationId: string): Promise<void> {
  const { rows } = await transaction.query<{ pending: number }>({
    name: "invitations_count_pending",
    text: `
      select count(*)::integer as pending
      from auth.invitations
      where organization_id = $1 and accepted_at is null and revoked_at is null and expires_at > now()`,
    values: [organizationId],
  });
  if ((rows[0]?.pending ?? 0) >= limits.invitationsPendingMax) {
    throw new AppError(
      "conflict",
      `${limits.invitationsPendingMax} invitations are pending already; revoke some of them first`,
    );
  }
}

const tokenBytes = 32;

/** 256 random bits, for a link. The owner of the invited address can join with it. */
function createInvitationToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** The stored form of a token: with so many random bits a plain hash cannot be inverted. */
function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
