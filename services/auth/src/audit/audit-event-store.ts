import type { Identity } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";

/** The actions in the log. */
export type AuditAction =
  | "project.created"
  | "project.renamed"
  | "project.deleted"
  | "project.key-rotated"
  | "project.platform-model-set"
  | "provider-keys.changed"
  | "model.created"
  | "model.changed"
  | "model.removed"
  | "organization.created"
  | "invitation.created"
  | "invitation.revoked"
  | "invitation.accepted"
  | "member.joined"
  | "member.removed"
  | "member.role-changed"
  | "organization.renamed"
  | "organization.deleted"
  | "account.deleted";

/** The actor: a user, a project's key, or the operator. */
export type AuditActor = { type: "user"; userId: string } | { type: "key"; projectId: string } | { type: "admin" };

/** The actor and the request id, which every act passes to the store that performs it. */
export interface Act {
  actor: AuditActor;
  requestId: string;
}

export interface AuditEvent extends Act {
  action: AuditAction;
  /** Absent: the organization of the project. Null: none. */
  organizationId?: string | null;
  /** If the act is about a project. */
  projectId?: string | null;
  /** The target, if it is neither the organization nor the project: a member, an invitation, a provider. */
  targetId?: string | null;
  /** The changes in readable form. Never a key, token, password or other secret, not even in part. */
  details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The act of a request. Throws for an anonymous identity, which no administrative route accepts. */
export function actOf({ userId, projectId, requestId }: Identity): Act {
  if (userId !== null) return { actor: { type: "user", userId }, requestId };
  if (projectId === null) throw new Error("an act of nobody");
  return { actor: { type: "key", projectId }, requestId };
}

/**
 * Writes an administrative act to the log, in the transaction that performs it, so that both commit together. Times are
 * PostgreSQL's. If the organization was deleted in the meantime, the transaction fails.
 */
export async function recordAudit(transaction: Queryable, event: AuditEvent): Promise<void> {
  const { actor, organizationId, projectId = null } = event;
  await transaction.query({
    name: "audit_event_insert",
    text: `
      insert into auth.audit_events
        (id, organization_id, project_id, actor_type, actor_id, action, target_id, details, request_id)
      values (
        $1,
        case when $2 then (select organization_id from auth.projects where id = $4) else $3::uuid end,
        $4, $5, $6, $7, $8, $9, $10
      )`,
    values: [
      uuidv7(Date.now()),
      organizationId === undefined,
      organizationId ?? null,
      projectId,
      actor.type,
      actor.type === "user" ? actor.userId : actor.type === "key" ? actor.projectId : null,
      event.action,
      event.targetId ?? null,
      JSON.stringify(event.details ?? {}),
      event.requestId,
    ],
  });
}
