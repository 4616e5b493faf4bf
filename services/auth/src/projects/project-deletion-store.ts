import { keyRevoked, type ProjectDataOwner, projectDataOwners, projectDeleting } from "@touchstone/contracts";
import type { Database, Statement, Transaction } from "@touchstone/db";
import { type Act, recordAudit } from "../audit/record-audit.ts";

/** What became of the wish to delete a project. */
export type DeletionOutcome = "deleted" | "missing" | "default" | "only";

export interface ProjectDeletionStore {
  /**
   * Takes a project out of every list, with its key, and commits the events that say so: `deleted`. Otherwise nothing
   * changed: there is no such project, it is the default one, or its organization's (without organizations, the
   * installation's) last one. The log is written in the same transaction.
   */
  deleteProject(projectId: string, act: Act): Promise<DeletionOutcome>;
  /** Notes that a service has nothing left of a deleted project; after the last one the row goes. True: it went. */
  confirm(projectId: string, service: ProjectDataOwner): Promise<boolean>;
  /** Announces deletions again that were last announced so long ago and are not done. Answers how many. */
  announceUnfinished(olderThanMs: number): Promise<number>;
}

/** Announced again at a time; the rest follows with the next look. */
const announcedMax = 100;

/** Keeps {@link ProjectDeletionStore} in the schema `auth`: requests under the app role, the rest under maintenance. */
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
          // The last two confirmations at once wait for each other here, so that one of them sees both.
          name: "project_lock_to_confirm",
          text: `
            select id
            from auth.projects
            where id = $1 and deleting_since is not null
            for update`,
          values: [projectId],
        });
        // It is gone already; an event may come twice.
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
        // Replicas that look at the same moment wait for each other, and the later one finds nothing due.
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

/** An organization keeps the record of its projects; that of a project without one can be read by nobody any more. */
async function forgetActs(transaction: Transaction, projectId: string): Promise<void> {
  await transaction.query({
    name: "audit_events_forget_project",
    text: "delete from auth.audit_events where project_id = $1 and organization_id is null",
    values: [projectId],
  });
}

/** Of two deletions of the last two projects at once the second one sees the first one's. */
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
