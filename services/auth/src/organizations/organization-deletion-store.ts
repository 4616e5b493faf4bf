import { keyRevoked, projectDeleting } from "@touchstone/contracts";
import type { Transaction } from "@touchstone/db";
import { announceChange } from "../accounts/membership-store.ts";

/**
 * Deletes a locked organization with its members, invitations, log and projects, and announces it all. Returns the
 * ids of the projects.
 */
export async function removeOrganization(transaction: Transaction, organizationId: string): Promise<string[]> {
  const projectIds = await closeProjects(transaction, organizationId);
  await closeOwnData(transaction, organizationId);
  await announceChange(transaction, await listUsers(transaction, organizationId));
  await transaction.query({
    // Cascades to members, invitations and the log.
    name: "organization_delete",
    text: "delete from auth.organizations where id = $1",
    values: [organizationId],
  });
  return projectIds;
}

/** Deletes every project like a single one (decision 24), including the default one; returns their ids. */
async function closeProjects(transaction: Transaction, organizationId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>({
    name: "projects_mark_deleting_of_organization",
    text: `
      update auth.projects
      set deleting_since = now(), announced_at = now(), is_default = false, is_tenant_default = false
      where organization_id = $1 and deleting_since is null
      returning id`,
    values: [organizationId],
  });
  const ids = rows.map(({ id }) => id);
  await transaction.query({
    name: "project_keys_delete",
    text: "delete from auth.project_keys where project_id = any($1)",
    values: [ids],
  });
  await transaction.query({
    name: "projects_events_enqueue",
    text: `
      insert into auth.outbox (subject, body)
      select subject, json_build_object('projectId', id)::text
      from unnest($1::text[]) as subject
      cross join unnest($2::uuid[]) as id`,
    values: [[keyRevoked.subject, projectDeleting.subject], ids],
  });
  return ids;
}

/**
 * Some rows of other services belong to an organization and to no project: the verdicts it shares. They are removed
 * like a project's, under the organization's id, which no project has: announced until every service has confirmed.
 */
async function closeOwnData(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.pipeline([
    {
      name: "organization_mark_deleting",
      text: `
        insert into auth.projects (id, name, created_at, deleting_since, announced_at)
        values ($1, '', now(), now(), now())`,
      values: [organizationId],
    },
    {
      name: "organization_event_enqueue",
      text: "insert into auth.outbox (subject, body) values ($1, $2)",
      values: [projectDeleting.subject, JSON.stringify(projectDeleting.body.parse({ projectId: organizationId }))],
    },
  ]);
}

async function listUsers(transaction: Transaction, organizationId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ user_id: string }>({
    name: "member_list_users",
    text: `
      select user_id
      from auth.members
      where organization_id = $1`,
    values: [organizationId],
  });
  return rows.map((row) => row.user_id);
}
