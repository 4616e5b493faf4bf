import type { RecordedAct } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";

/** Stores acts that other services report. */
export interface ActFile {
  /**
   * Files an act under the organization that owns its project, once for each id, however often it is delivered. If the
   * project was deleted, it goes to the organization that owned it; if that was deleted too, or there was none, the act
   * has no readers and is dropped.
   */
  file(act: RecordedAct): Promise<void>;
}

/** Stores {@link ActFile} in the schema `auth`, under the app role. */
export function createActFile(database: Database): ActFile {
  return {
    async file({ id, projectId, organizationId, actor, action, targetId, details, requestId, at }) {
      await database.query({
        name: "audit_event_file",
        text: `
          with project as (
            -- Locked: the removal of a deleted project's acts runs before this, or finds the row.
            select organization_id from auth.projects where id = $2 for key share
          )
          insert into auth.audit_events
            (id, organization_id, project_id, actor_type, actor_id, action, target_id, details, request_id, created_at)
          select $1, owner.organization_id, $2, $4, $5, $6, $7, $8, $9, $10
          from (
            select organization_id from project
            union all
            select id from auth.organizations where id = $3 and not exists (select from project)
          ) as owner
          -- Locked as well. A project keeps the id of its deleted organization until its own row is deleted.
          where owner.organization_id is null
            or exists (select from auth.organizations where id = owner.organization_id for key share)
          on conflict (id) do nothing`,
        values: [
          id,
          projectId,
          organizationId,
          actor.type,
          actor.id,
          action,
          targetId,
          JSON.stringify(details),
          requestId,
          at,
        ],
      });
    },
  };
}
