import { keyRevoked, type ProjectDataOwner, projectDataOwners, projectDeleting } from "@touchstone/contracts";
import type { Database, Statement, Transaction } from "@touchstone/db";
import { type Act, recordAudit } from "../audit/audit-event-store.ts";

/** The result of a request to delete a project. */
export type DeletionOutcome = "deleted" | "missing" | "default" | "only";

export interface ProjectDeletionStore {
  /**
   * Removes a project from every list, with its key, and commits the events about it: `deleted`. Otherwise nothing
   * changes: there is no such project, it is the default one, or the last one of its organization (without
   * organizations, of the installation). The log is written in the same transaction.
   */
  deleteProject(projectId: string, act: Act): Promise<DeletionOutcome>;
  /**
   * Records that a service has removed all data of a deleted project; the last confirmation removes the row. True: it
   * was removed.
   */
  confirm(projectId: string, service: ProjectDataOwner): Promise<boolean>;
  /** Announces unfinished deletions again if their last announcement is old enough. Returns their number. */
  announceUnfinished(olderThanMs: number): Promise<number>;
}

/** Announced at a time; the rest follows in the next turn. */
const announcedMax = 100;

/**
 * Stores {@link ProjectDeletionStore} in the schema `auth`: requests under the app role, the rest under maintenance.
 */
export function createProjectDeletionStore(database: Database, maintenance: Database): ProjectDeletionStore {
  return {
    deleteProject: (projectId, act) =>
      database.transaction(async (transaction) => {
        const { rows } = await transaction.query<{ name: string; is_default: boolean; organization_id: string | null }>(
          {
            name: "project_lock_to_delete",
            text: `
            select is_default or is_tenant_default as is_default, organization_id, name
            from auth.projects
            where id = $1 and deleting_since is null
            for update`,
            values: [projectId],
          },
        );
        const [project] = rows;
        if (project === undefined) return "missing";
        if (project.is_default) return "default";
        if (!(await hasOthers(transaction, projectId, project.organization_id))) return "only";
        await transaction.query({
          name: "project_mark_deleting",
          text: `
            update auth.projects
            set deleting_since = now(), announced_at = now()
            where id = $1`,
          values: [projectId],
        });
        await transaction.query({
          name: "project_key_delete",
          text: "delete from auth.project_keys where project_id = $1",
          values: [projectId],
        });
        await transaction.query(enqueue(keyRevoked.subject, JSON.stringify(keyRevoked.body.parse({ projectId }))));
        await transaction.query(
          enqueue(projectDeleting.subject, JSON.stringify(projectDeleting.body.parse({ projectId }))),
        );
        await recordAudit(transaction, {
          ...act,
          action: "project.deleted",
          projectId,
          details: { name: project.name },
        });
        return "deleted";
      }),

    confirm: (projectId, service) =>
      maintenance.transaction(async (transaction) => {
        const { rows } = await transaction.query({
          // Serializes concurrent confirmations, so that the last one sees all others.
          name: "project_lock_to_confirm",
          text: `
            select id
            from auth.projects
            where id = $1 and deleting_since is not null
            for update`,
          values: [projectId],
        });
        // Removed already; an event may be delivered twice.
        if (rows.length === 0) return false;
        await transaction.query({
          name: "data_deletion_confirm",
          text: `
            insert into auth.data_deletions (project_id, service)
            values ($1, $2)
            on conflict (project_id, service) do nothing`,
          values: [projectId, service],
        });
        const { rowCount } = await transaction.query({
          name: "project_remove_deleted",
          text: `
            delete from auth.projects
            where id = $1 and deleting_since is not null
              and not exists (
                select from unnest($2::text[]) as owner (service)
                where not exists (
                  select from auth.data_deletions done
                  where done.project_id = $1 and done.service = owner.service
                )
              )`,
          values: [projectId, projectDataOwners],
        });
        if (rowCount === 1) await forgetActs(transaction, projectId);
        return rowCount === 1;
      }),

    async announceUnfinished(olderThanMs) {
      const { rowCount } = await maintenance.query({
        // Concurrent replicas are serialized, and the later one finds nothing due.
        name: "project_deletions_announce",
        text: `
          with unfinished as (
            update auth.projects
            set announced_at = now()
            where id in (
              select id
              from auth.projects
              where deleting_since is not null and announced_at < now() - make_interval(secs => $1)
              order by announced_at
              limit ${announcedMax}
              for update skip locked
            )
            returning id
          )
          insert into auth.outbox (subject, body)
          select $2, json_build_object('projectId', id)::text
          from unfinished`,
        values: [olderThanMs / 1000, projectDeleting.subject],
      });
      return rowCount ?? 0;
    },
  };
}

/** An organization keeps the log of its projects; that of a project without one has no readers any more. */
async function forgetActs(transaction: Transaction, projectId: string): Promise<void> {
  await transaction.query({
    name: "audit_events_forget_project",
    text: "delete from auth.audit_events where project_id = $1 and organization_id is null",
    values: [projectId],
  });
}

/** Of two concurrent deletions of the last two projects, the second one sees the first. */
async function hasOthers(transaction: Transaction, projectId: string, organizationId: string | null): Promise<boolean> {
  await transaction.query({
    name: "projects_lock_deletions",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone project deletion' || coalesce($1, ''), 0))",
    values: [organizationId],
  });
  const { rows } = await transaction.query<{ has_others: boolean }>({
    name: "projects_have_others",
    text: `
      select exists (
        select
        from auth.projects
        where id <> $1 and organization_id is not distinct from $2 and deleting_since is null
      ) as has_others`,
    values: [projectId, organizationId],
  });
  return rows[0]?.has_others === true;
}

const enqueue = (subject: string, body: string): Statement => ({
  name: "event_enqueue",
  text: `
    insert into auth.outbox (subject, body)
    values ($1, $2)`,
  values: [subject, body],
});
