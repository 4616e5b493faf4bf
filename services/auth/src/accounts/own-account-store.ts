import { isUuid, limits } from "@touchstone/contracts";
import type { Database, Transaction } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import { type Act, recordAudit } from "../audit/audit-event-store.ts";
import { announceChange, type Role } from "./membership-store.ts";

export interface OwnAccount {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  hasPassword: boolean;
}

export interface OwnSession {
  id: string;
  userAgent: string | null;
  ipAddress: string | null;
  createdAt: Date;
  renewedAt: Date;
  expiresAt: Date;
}

/** Operations of users on their own account (completions 12.3). */
export interface OwnAccountStore {
  /** Null if it was deleted in the meantime. */
  read(userId: string): Promise<OwnAccount | null>;
  rename(userId: string, name: string): Promise<OwnAccount | null>;
  /** Unexpired sessions, newest first. */
  listSessions(userId: string): Promise<OwnSession[]>;
  /** False if it is not one of the user's. Gateways are notified in the same transaction. */
  endSession(userId: string, sessionId: string): Promise<boolean>;
  /**
   * Deletes the account with its sessions and memberships, and revokes its invitations; the audit log of each of its
   * organizations records it. 409 for the owner of an organization, which must have one.
   */
  deleteAccount(userId: string, act: Act): Promise<void>;
}

/**
 * The user has set a password by a mail to the address of the account. A stranger may have linked a provider's account
 * while the address was unverified, and it must not sign in any more (decision 26), even if the user has verified the
 * address since.
 */
export async function proveAddress(database: Database, userId: string): Promise<void> {
  await database.query({
    name: "account_prove_address",
    text: `
      with proven as (
        update auth.users
        set email_verified = true
        where id = $1 and not email_verified
        returning id
      )
      delete from auth.accounts
      where user_id = $1 and provider_id <> 'credential' and (linked_unverified or exists (select from proven))`,
    values: [userId],
  });
}

interface AccountRow {
  id: string;
  name: string;
  email: string;
  email_verified: boolean;
  has_password: boolean;
}

const accountColumns = `
  id, name, email, email_verified,
  exists (
    select from auth.accounts
    where user_id = users.id and provider_id = 'credential' and password is not null
  ) as has_password`;

const toAccount = (row: AccountRow | undefined): OwnAccount | null =>
  row === undefined
    ? null
    : {
        id: row.id,
        name: row.name,
        email: row.email,
        emailVerified: row.email_verified,
        hasPassword: row.has_password,
      };

/** Stores {@link OwnAccountStore} in the schema `auth`, under the app role. */
export function createOwnAccountStore(database: Database): OwnAccountStore {
  return {
    async read(userId) {
      const { rows } = await database.query<AccountRow>({
        name: "own_account_read",
        text: `select ${accountColumns} from auth.users where id = $1`,
        values: [userId],
      });
      return toAccount(rows[0]);
    },

    async rename(userId, name) {
      const { rows } = await database.query<AccountRow>({
        name: "own_account_rename",
        text: `
          update auth.users
          set name = $2, updated_at = now()
          where id = $1
          returning ${accountColumns}`,
        values: [userId, name],
      });
      return toAccount(rows[0]);
    },

    async listSessions(userId) {
      const { rows } = await database.query<OwnSession>({
        name: "own_session_list",
        text: `
          select
            id, user_agent as "userAgent", ip_address as "ipAddress", created_at as "createdAt",
            updated_at as "renewedAt", expires_at as "expiresAt"
          from auth.sessions
          where user_id = $1 and expires_at > now()
          order by id desc
          limit ${limits.accountSessionsListedMax}`,
        values: [userId],
      });
      return rows;
    },

    async endSession(userId, sessionId) {
      if (!isUuid(sessionId)) return false;
      return database.transaction(async (transaction) => {
        const { rowCount } = await transaction.query({
          name: "own_session_end",
          text: `
            delete from auth.sessions
            where id = $1 and user_id = $2`,
          values: [sessionId, userId],
        });
        if (rowCount !== 1) return false;
        await announceChange(transaction, [userId]);
        return true;
      });
    },

    deleteAccount: (userId, act) =>
      database.transaction(async (transaction) => {
        const places = await lockPlaces(transaction, userId);
        const owned = places.filter(({ role }) => role === "owner").map(({ name }) => name);
        if (owned.length > 0) {
          throw new AppError("conflict", `You own ${owned.join(", ")}: delete the organization first`);
        }
        const revoked = await revokeInvitationsOf(transaction, userId);
        for (const { organizationId, memberId, role, email } of places) {
          const details = { email, role, revokedInvitations: revoked.get(organizationId) ?? 0 };
          await recordAudit(transaction, {
            ...act,
            action: "account.deleted",
            organizationId,
            targetId: memberId,
            details,
          });
        }
        await announceChange(transaction, [userId]);
        await transaction.query({
          name: "own_account_delete",
          // Cascades to sessions, passwords and memberships.
          text: "delete from auth.users where id = $1",
          values: [userId],
        });
      }),
  };
}

interface HeldPlace {
  organizationId: string;
  name: string;
  memberId: string;
  role: Role;
  email: string;
}

/** Locks the organizations of a user for the rest of the transaction, in the order of their ids. */
async function lockPlaces(transaction: Transaction, userId: string): Promise<HeldPlace[]> {
  const { rows } = await transaction.query<HeldPlace>({
    name: "own_places_lock",
    text: `
      select
        organization.id as "organizationId", organization.name, member.id as "memberId", member.role,
        account.email
      from auth.members member
      join auth.organizations organization on organization.id = member.organization_id
      join auth.users account on account.id = member.user_id
      where member.user_id = $1
      order by organization.id
      for update of organization`,
    values: [userId],
  });
  return rows;
}

/** Revokes a user's pending invitations in all organizations; returns their number by organization. */
async function revokeInvitationsOf(transaction: Transaction, userId: string): Promise<Map<string, number>> {
  const { rows } = await transaction.query<{ organization_id: string }>({
    name: "own_invitations_revoke",
    text: `
      update auth.invitations
      set revoked_at = now()
      where invited_by = $1 and accepted_at is null and revoked_at is null
      returning organization_id`,
    values: [userId],
  });
  return new Map(
    [...Map.groupBy(rows, (row) => row.organization_id)].map(([organizationId, group]) => [
      organizationId,
      group.length,
    ]),
  );
}
