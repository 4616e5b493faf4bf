import { keyRevoked } from "@touchstone/contracts";
import type { Database, Queryable, Statement } from "@touchstone/db";
import { type Clock, uuidv7 } from "@touchstone/service-kit";
import { type Act, recordAudit } from "../audit/audit-event-store.ts";
import type { KeyVault } from "../project-keys/key-vault.ts";
import { createProjectKey } from "../project-keys/project-key.ts";
import {
  insertProjectKey,
  selectKeyOwner,
  selectOneProjectKey,
  selectProjectKey,
} from "../project-keys/project-key-store.ts";

/** A project with its key, which only auth holds. */
export interface Project {
  id: string;
  name: string;
  apiKey: string;
  isDefault: boolean;
  /** Null: it belongs to the installation. */
  organizationId: string | null;
  createdAt: Date;
}

export interface ProjectStore {
  /** Opens one stored key, if there is any. Throws if it was sealed under another root secret. */
  requireReadableKeys(): Promise<void>;
  /** Creates the default project if there is none. Of concurrent callers exactly one creates it. */
  ensureDefaultProject(): Promise<void>;
  /** Null before {@link ProjectStore.ensureDefaultProject}. Throws if its key was sealed under another root secret. */
  findDefaultProject(): Promise<Project | null>;
  /** Every project, or those of these organizations; oldest first. */
  listProjects(organizationIds?: readonly string[]): Promise<Project[]>;
  /**
   * Without an organization it belongs to the installation: default mode. Null: the organization was deleted. This and
   * the next two methods write the log in their transaction.
   */
  createProject(name: string, organizationId: string | null, act: Act): Promise<Project | null>;
  /**
   * Gives a project a new key; the old one is invalid from then on, and an event announces it. Null: no such project.
   */
  rotateKey(projectId: string, act: Act): Promise<Project | null>;
  /** Null: no such project, or it is being deleted. */
  renameProject(projectId: string, name: string, act: Act): Promise<Project | null>;
  isDefaultProject(projectId: string): Promise<boolean>;
  /** Null: no such project, or it is being deleted. */
  readName(projectId: string): Promise<string | null>;
  /** A project's key; null: no such project, or it is being deleted. */
  readKey(projectId: string): Promise<string | null>;
  /** The owner of a key; null if no project has it. */
  resolveKey(apiKey: string): Promise<{ projectId: string; organizationId: string | null } | null>;
}

interface ProjectRow {
  id: string;
  name: string;
  is_default: boolean;
  organization_id: string | null;
  created_at: Date;
  sealed_key: Buffer;
}

const columns = `
  project.id, project.name, project.is_default or project.is_tenant_default as is_default, project.organization_id,
  project.created_at, key.sealed_key`;

/** Stores {@link ProjectStore} in the schema `auth`, under the app role. */
export function createProjectStore(database: Database, vault: KeyVault, clock: Clock): ProjectStore {
  const fromRow = (row: ProjectRow): Project => ({
    id: row.id,
    name: row.name,
    apiKey: vault.open(row.id, row.sealed_key),
    isDefault: row.is_default,
    organizationId: row.organization_id,
    createdAt: row.created_at,
  });

  return {
    async requireReadableKeys() {
      const { rows } = await database.query<{ project_id: string; sealed_key: Buffer }>(selectOneProjectKey);
      for (const row of rows) vault.open(row.project_id, row.sealed_key);
    },

    async ensureDefaultProject() {
      const id = uuidv7(clock.now());
      const at = new Date(clock.now());
      await database.transaction(async (transaction) => {
        const { rows } = await transaction.query(insertDefaultProject(id, at));
        if (rows.length > 0) await transaction.query(insertProjectKey(vault, id, createProjectKey(), at));
      });
    },

    async findDefaultProject() {
      const { rows } = await database.query<ProjectRow>(selectDefaultProject);
      return rows[0] === undefined ? null : fromRow(rows[0]);
    },

    async listProjects(organizationIds) {
      const { rows } = await database.query<ProjectRow>(selectProjects(organizationIds ?? null));
      return rows.map(fromRow);
    },

    async createProject(name, organizationId, act) {
      const createdAt = new Date(clock.now());
      const id = uuidv7(clock.now());
      const apiKey = createProjectKey();
      const isCreated = await database.transaction(async (transaction) => {
        if (organizationId !== null && !(await holdOrganization(transaction, organizationId))) return false;
        await transaction.query(insertProject({ id, name, createdAt, organizationId }));
        await transaction.query(insertProjectKey(vault, id, apiKey, createdAt));
        await recordAudit(transaction, {
          ...act,
          action: "project.created",
          organizationId,
          projectId: id,
          details: { name },
        });
        return true;
      });
      return isCreated ? { id, name, apiKey, isDefault: false, organizationId, createdAt } : null;
    },

    async rotateKey(projectId, act) {
      const apiKey = createProjectKey();
      return database.transaction(async (transaction) => {
        const at = new Date(clock.now());
        const { rows } = await transaction.query<ProjectRow>(replaceKey(vault, projectId, apiKey, at));
        if (rows[0] === undefined) return null;
        await transaction.query(enqueueRevocation(projectId));
        await recordAudit(transaction, { ...act, action: "project.key-rotated", projectId });
        return fromRow(rows[0]);
      });
    },

    renameProject: (projectId, name, act) =>
      database.transaction(async (transaction) => {
        const { rows } = await transaction.query<ProjectRow & { former_name: string }>(updateName(projectId, name));
        if (rows[0] === undefined) return null;
        const details = { from: rows[0].former_name, to: name };
        await recordAudit(transaction, { ...act, action: "project.renamed", projectId, details });
        return fromRow(rows[0]);
      }),

    async isDefaultProject(projectId) {
      const { rowCount } = await database.query(findAsDefault(projectId));
      return rowCount === 1;
    },

    async readName(projectId) {
      const { rows } = await database.query<{ name: string }>(selectName(projectId));
      return rows[0]?.name ?? null;
    },

    async readKey(projectId) {
      const { rows } = await database.query<{ sealed_key: Buffer }>(selectProjectKey(projectId));
      const [row] = rows;
      return row === undefined ? null : vault.open(projectId, row.sealed_key);
    },

    async resolveKey(apiKey) {
      const { rows } = await database.query<{ project_id: string; organization_id: string | null }>(
        selectKeyOwner(vault.fingerprint(apiKey)),
      );
      const [row] = rows;
      return row === undefined ? null : { projectId: row.project_id, organizationId: row.organization_id };
    },
  };
}

/** A concurrent insert waits here until the first one has committed, and then does nothing. */
const insertDefaultProject = (id: string, at: Date): Statement => ({
  name: "project_insert_default",
  text: `
    insert into auth.projects (id, name, is_default, created_at)
    values ($1, 'Default', true, $2)
    on conflict (is_default) where is_default do nothing
    returning id`,
  values: [id, at],
});

/** At most one row: projects_default. */
const selectDefaultProject: Statement = {
  name: "project_find_default",
  text: `
    select ${columns}
    from auth.projects project
    join auth.project_keys key on key.project_id = project.id
    where project.is_default`,
};

/** Oldest first: ids are UUIDv7. */
const selectProjects = (organizationIds: readonly string[] | null): Statement => ({
  name: "project_list",
  text: `
    select ${columns}
    from auth.projects project
    join auth.project_keys key on key.project_id = project.id
    where $1::uuid[] is null
      or project.organization_id = any($1)
    order by project.id`,
  values: [organizationIds],
});

/** Names need not be unique. */
const insertProject = (project: Pick<Project, "id" | "name" | "createdAt" | "organizationId">): Statement => ({
  name: "project_insert",
  text: `
    insert into auth.projects (id, name, created_at, organization_id)
    values ($1, $2, $3, $4)`,
  values: [project.id, project.name, project.createdAt, project.organizationId],
});

/** The old fingerprint is gone with the commit. Of two concurrent rotations the later one wins. */
const replaceKey = (vault: KeyVault, projectId: string, apiKey: string, at: Date): Statement => ({
  name: "project_key_rotate",
  text: `
    update auth.project_keys key
    set fingerprint = $2, sealed_key = $3, created_at = $4
    from auth.projects project
    where key.project_id = $1
      and project.id = key.project_id
    returning ${columns}`,
  values: [projectId, vault.fingerprint(apiKey), vault.seal(projectId, apiKey), at],
});

/** In the transaction of the rotation: gateways receive exactly the revocations that happened. */
const enqueueRevocation = (projectId: string): Statement => ({
  name: "key_revoked_enqueue",
  text: `
    insert into auth.outbox (subject, body)
    values ($1, $2)`,
  values: [keyRevoked.subject, JSON.stringify(keyRevoked.body.parse({ projectId }))],
});

/** A project that is being deleted has no key. */
const updateName = (projectId: string, name: string): Statement => ({
  name: "project_rename",
  text: `
    update auth.projects project
    set name = $2
    from auth.project_keys key, (select id, name from auth.projects where id = $1 for update) as before
    where project.id = before.id
      and key.project_id = project.id
    returning ${columns}, before.name as former_name`,
  values: [projectId, name],
});

const findAsDefault = (projectId: string): Statement => ({
  name: "project_is_default",
  text: "select from auth.projects where id = $1 and is_default",
  values: [projectId],
});

/** A project that is being deleted has no key. */
const selectName = (projectId: string): Statement => ({
  name: "project_read_name",
  text: `
    select project.name
    from auth.projects project
    join auth.project_keys key on key.project_id = project.id
    where project.id = $1`,
  values: [projectId],
});

/** Prevents deletion of the organization until the transaction ends. False: it was deleted. */
async function holdOrganization(transaction: Queryable, organizationId: string): Promise<boolean> {
  const { rows } = await transaction.query({
    name: "organization_hold",
    text: `
      select
      from auth.organizations
      where id = $1
      for key share`,
    values: [organizationId],
  });
  return rows.length === 1;
}
