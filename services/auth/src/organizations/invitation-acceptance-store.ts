import type { Statement, Transaction } from "@touchstone/db";
import { AppError, uuidv7 } from "@touchstone/service-kit";
import { announceChange } from "../accounts/membership-store.ts";
import { recordAudit } from "../audit/audit-event-store.ts";
import type { Administrator } from "./organization-store.ts";
import type { GivenRole } from "./roles.ts";

/** Accepts the invitation with this hash of a token; see `accept` of the invitation store. */
export async function acceptInvitation(
  transaction: Transaction,
  tokenHash: Buffer,
  { userId, act }: Administrator,
  { requiresVerification }: { requiresVerification: boolean },
): Promise<string> {
  const invitation = await lockInvitation(transaction, tokenHash);
  if (invitation === null) throw alreadyUsed();
  if (invitation.is_expired) throw new AppError("gone", "Invitation expired - ask for a new one");
  const account = await readAccount(transaction, userId);
  if (account.email !== invitation.email) {
    throw new AppError("forbidden", `This invitation was issued to ${invitation.email} - sign in with that account`);
  }
  if (requiresVerification && !account.isVerified) {
    throw new AppError("forbidden", "Verify your e-mail address before you accept an invitation");
  }
  const { rowCount } = await transaction.query(markAccepted(invitation));
  if (rowCount !== 1) throw alreadyUsed();
  const { rowCount: changed } = await transaction.query(addMember(invitation, userId));
  if (changed === 1) await announceChange(transaction, [userId]);
  await recordAudit(transaction, {
    ...act,
    action: "invitation.accepted",
    organizationId: invitation.organization_id,
    targetId: invitation.id,
    details: { email: invitation.email, role: invitation.role },
  });
  return invitation.organization_id;
}

function alreadyUsed(): AppError {
  return new AppError("not_found", "Invitation not found or already used");
}

interface OpenInvitation {
  id: string;
  organization_id: string;
  email: string;
  role: GivenRole;
  is_expired: boolean;
}

/**
 * The invitation, unless it was used or revoked, with its organization locked for the rest of the transaction: acts on
 * one organization are serialized, and users cannot join one that is being deleted.
 */
async function lockInvitation(transaction: Transaction, tokenHash: Buffer): Promise<OpenInvitation | null> {
  const [, { rows }] = await transaction.pipeline<[Record<never, never>, OpenInvitation]>([
    {
      name: "organization_lock_of_invitation",
      text: `
        select
        from auth.organizations
        where id = (select organization_id from auth.invitations where token_hash = $1)
        for update`,
      values: [tokenHash],
    },
    {
      name: "invitation_find_open",
      text: `
        select id, organization_id, email, role, expires_at <= now() as is_expired
        from auth.invitations
        where token_hash = $1 and accepted_at is null and revoked_at is null`,
      values: [tokenHash],
    },
  ]);
  return rows[0] ?? null;
}

async function readAccount(transaction: Transaction, userId: string): Promise<{ email: string; isVerified: boolean }> {
  const { rows } = await transaction.query<{ email: string; is_verified: boolean }>({
    name: "user_read_address",
    text: `
      select lower(email) as email, email_verified as is_verified
      from auth.users
      where id = $1`,
    values: [userId],
  });
  return { email: rows[0]?.email ?? "", isVerified: rows[0]?.is_verified ?? false };
}

/** The condition alone decides between concurrent callers; the member is added in the same transaction. */
const markAccepted = ({ id }: OpenInvitation): Statement => ({
  name: "invitation_accept",
  text: `
    update auth.invitations
    set accepted_at = now()
    where id = $1 and accepted_at is null and revoked_at is null`,
  values: [id],
});

const addMember = ({ organization_id, role }: OpenInvitation, userId: string): Statement => ({
  name: "member_insert_invited",
  text: `
    insert into auth.members as member (id, organization_id, user_id, role, created_at)
    values ($1, $2, $3, $4, now())
    on conflict (organization_id, user_id) do update
    set role = excluded.role
    where member.role = 'member' and excluded.role = 'admin'`,
  values: [uuidv7(Date.now()), organization_id, userId, role],
});
