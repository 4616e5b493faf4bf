import type { Database } from "@touchstone/db";

/** An administrative act, as read from the log. */
interface RecordedAct {
  id: string;
  action: string;
  actor: {
    type: "user" | "key" | "admin";
    /** The user, or the project of the key. */
    id: string | null;
    /** Users only. */
    name: string | null;
    email: string | null;
  };
  projectId: string | null;
  targetId: string | null;
  details: Record<string, unknown>;
  requestId: string;
  createdAt: Date;
}

/** An act in an export: the stored row. */
export type ExportedAct = Omit<RecordedAct, "actor"> & { actorType: string; actorId: string | null };

export interface AuditReader {
  /** The acts in an organization, newest first, before the act `before` (null: from the newest). */
  listOfOrganization(organizationId: string, page: OrganizationPage): Promise<RecordedAct[]>;
  /** The acts in the whole installation, newest first, before the act `before` (null: from the newest). */
  listOfAll(page: {
    before: string | null;
    limit: number;
  }): Promise<(RecordedAct & { organizationId: string | null })[]>;
  /** The acts on a project by id, after the act `after`, of this epoch millisecond or later (null: all). */
  listOfProject(
    projectId: string,
    page: { after: string | null; sinceMs: number | null; limit: number },
  ): Promise<ExportedAct[]>;
  countOfProject(projectId: string, sinceMs: number | null): Promise<number>;
}

/** A page of an organization's log. A null filter matches everything. */
export interface OrganizationPage {
  before: string | null;
  limit: number;
  /** An action, or the part before its dot. */
  action: string | null;
  actorId: string | null;
}

interface AuditRow {
  id: string;
  organization_id: string | null;
  action: string;
  actor_type: RecordedAct["actor"]["type"];
  actor_id: string | null;
  project_id: string | null;
  target_id: string | null;
  details: Record<string, unknown>;
  request_id: string;
  created_at: Date;
}

/** A row with the acting user, if there is one who still exists. */
type ActedRow = AuditRow & { user_name: string | null; user_email: string | null };

const columns = `
  event.id, event.organization_id, event.action, event.actor_type, event.actor_id, event.project_id, event.target_id, event.details,
  event.request_id, event.created_at`;

const isSince = "($2::float8 is null or event.created_at >= to_timestamp($2 / 1000))";

/** Reads the log in the schema `auth`, under the app role. */
export function createAuditReader(database: Database): AuditReader {
  return {
    async listOfAll({ before, limit }) {
      const { rows } = await database.query<ActedRow>({
        name: "audit_event_list_of_all",
        text: `
          select ${columns}, actor.name as user_name, actor.email as user_email
          from auth.audit_events event
          left join auth.users actor on event.actor_type = 'user' and actor.id = event.actor_id
          where $1::uuid is null or event.id < $1
          order by event.id desc
          limit $2`,
        values: [before, limit],
      });
      return rows.map((row) => ({ ...withActor(row), organizationId: row.organization_id }));
    },

    async listOfOrganization(organizationId, { before, limit, action, actorId }) {
      const { rows } = await database.query<ActedRow>({
        name: "audit_event_list_of_organization",
        text: `
          select ${columns}, actor.name as user_name, actor.email as user_email
          from auth.audit_events event
          left join auth.users actor on event.actor_type = 'user' and actor.id = event.actor_id
          where event.organization_id = $1
            and ($2::uuid is null or event.id < $2)
            and ($4::text is null or event.action = $4 or starts_with(event.action, $4 || '.'))
            and ($5::uuid is null or event.actor_id = $5)
          order by event.id desc
          limit $3`,
        values: [organizationId, before, limit, action, actorId],
      });
      return rows.map(withActor);
    },

    async listOfProject(projectId, { after, sinceMs, limit }) {
      const { rows } = await database.query<AuditRow>({
        name: "audit_event_list_of_project",
        text: `
          select ${columns}
          from auth.audit_events event
          where event.project_id = $1
            and ${isSince}
            and ($3::uuid is null or event.id > $3)
          order by event.id
          limit $4`,
        values: [projectId, sinceMs, after, limit],
      });
      return rows.map((row) => ({ ...shared(row), actorType: row.actor_type, actorId: row.actor_id }));
    },

    async countOfProject(projectId, sinceMs) {
      const { rows } = await database.query<{ count: string }>({
        name: "audit_event_count_of_project",
        text: `
          select count(*) as count
          from auth.audit_events event
          where event.project_id = $1 and ${isSince}`,
        values: [projectId, sinceMs],
      });
      return Number(rows[0]?.count ?? 0);
    },
  };
}

function withActor(row: ActedRow): RecordedAct {
  return {
    ...shared(row),
    actor: { type: row.actor_type, id: row.actor_id, name: row.user_name, email: row.user_email },
  };
}

function shared(row: AuditRow): Omit<RecordedAct, "actor"> {
  return {
    id: row.id,
    action: row.action,
    projectId: row.project_id,
    targetId: row.target_id,
    details: row.details,
    requestId: row.request_id,
    createdAt: row.created_at,
  };
}

/** A page of acts as it is returned, from one more than it may hold: `nextCursor` is null on the last one. */
export function showPage<Act extends RecordedAct>(found: readonly Act[], limit: number) {
  const page = found.slice(0, limit);
  const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  return { events: page.map(showAct), nextCursor };
}

function showAct<Act extends RecordedAct>({ id, createdAt, ...act }: Act) {
  return { _id: id, ...act, createdAt: createdAt.toISOString() };
}
