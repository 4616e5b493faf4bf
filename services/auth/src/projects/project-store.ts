import { keyRevoked } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { type Clock, uuidv7 } from "@touchstone/service-kit";
import type { KeyVault } from "../project-keys/key-vault.ts";
import { createProjectKey } from "../project-keys/project-key.ts";

/** A project with its key, as only auth holds it. */
export interface Project {
  id: string;
  name: string;
  apiKey: string;
  isDefault: boolean;
  createdAt: Date;
}

export interface ProjectStore {
  /** Makes the default project where there is none. Of any number of callers at once exactly one makes it. */
  ensureDefaultProject(): Promise<void>;
  /** Null before {@link ProjectStore.ensureDefaultProject}. Throws when its key was sealed under another root secret. */
  findDefaultProject(): Promise<Project | null>;
  /** Every project, oldest first. */
  listProjects(): Promise<Project[]>;
  createProject(name: string): Promise<Project>;
  /** Gives a project a new key; the old one is unknown from here on, and an event says so. Null: no such project. */
  rotateKey(projectId: string): Promise<Project | null>;
  /** Who a key belongs to; null when no project has it. */
  resolveKey(apiKey: string): Promise<{ projectId: string; organizationId: string | null } | null>;
}

interface ProjectRow {
  id: string;
  name: string;
  is_default: boolean;
  created_at: Date;
  sealed_key: Buffer;
}

const columns = "project.id, project.name, project.is_default, project.created_at, key.sealed_key";

/** Keeps {@link ProjectStore} in the schema `auth`, under the app role. */
export function createProjectStore(database: Database, vault: KeyVault, clock: Clock): ProjectStore {
  const fromRow = (row: ProjectRow): Project => ({
    id: row.id,
    name: row.name,
    apiKey: vault.open(row.id, row.sealed_key),
    isDefault: row.is_default,
    createdAt: row.created_at,
  });

  async function insertKey(transaction: Queryable, projectId: string, apiKey: string, at: Date): Promise<void> {
    await transaction.query({
      // A project has one key. A fingerprint that exists already fails: 190 random bits do not repeat.
      name: "project_key_insert",
      text: `
        insert into auth.project_keys (project_id, fingerprint, sealed_key, created_at)
        values ($1, $2, $3, $4)`,
      values: [projectId, vault.fingerprint(apiKey), vault.seal(projectId, apiKey), at],
    });
  }

  return {
    async ensureDefaultProject() {
      const id = uuidv7(clock.now());
      const at = new Date(clock.now());
      await database.transaction(async (transaction) => {
        const { rows } = await transaction.query({
          // A racing insert waits here until the first one has committed, and then does nothing.
          name: "project_insert_default",
          text: `
            insert into auth.projects (id, name, is_default, created_at)
            values ($1, 'Default', true, $2)
            on conflict (is_default) where is_default do nothing
            returning id`,
          values: [id, at],
        });
        if (rows.length > 0) await insertKey(transaction, id, createProjectKey(), at);
      });
    },

    async findDefaultProject() {
      const { rows } = await database.query<ProjectRow>({
        // At most one row: projects_default.
        name: "project_find_default",
        text: `
          select ${columns}
          from auth.projects project
          join auth.project_keys key on key.project_id = project.id
          where project.is_default`,
      });
      return rows[0] === undefined ? null : fromRow(rows[0]);
    },

    async listProjects() {
      const { rows } = await database.query<ProjectRow>({
        // Oldest first: ids are UUIDv7.
        name: "project_list",
        text: `
          select ${columns}
          from auth.projects project
          join auth.project_keys key on key.project_id = project.id
          order by project.id`,
      });
      return rows.map(fromRow);
    },

    async createProject(name) {
      const createdAt = new Date(clock.now());
      const id = uuidv7(clock.now());
      const apiKey = createProjectKey();
      await database.transaction(async (transaction) => {
        await transaction.query({
          // Names need not be unique.
          name: "project_insert",
          text: `
            insert into auth.projects (id, name, created_at)
            values ($1, $2, $3)`,
          values: [id, name, createdAt],
        });
        await insertKey(transaction, id, apiKey, createdAt);
      });
      return { id, name, apiKey, isDefault: false, createdAt };
    },

    async rotateKey(projectId) {
      const apiKey = createProjectKey();
      return database.transaction(async (transaction) => {
        const { rows } = await transaction.query<ProjectRow>({
          // The old fingerprint is gone with the commit. Of two rotations at once the later one's key stands.
          name: "project_key_rotate",
          text: `
            update auth.project_keys key
            set fingerprint = $2, sealed_key = $3, created_at = $4
            from auth.projects project
            where key.project_id = $1
              and project.id = key.project_id
            returning ${columns}`,
          values: [projectId, vault.fingerprint(apiKey), vault.seal(projectId, apiKey), new Date(clock.now())],
        });
        if (rows[0] === undefined) return null;
        await transaction.query({
          // In the same transaction: gateways learn of exactly the revocations that happened.
          name: "key_revoked_enqueue",
          text: `
            insert into auth.outbox (subject, body)
            values ($1, $2)`,
          values: [keyRevoked.subject, JSON.stringify(keyRevoked.body.parse({ projectId }))],
        });
        return fromRow(rows[0]);
      });
    },

    async resolveKey(apiKey) {
      const { rows } = await database.query<{ project_id: string; organization_id: string | null }>({
        // By the unique index on the fingerprint; nothing is compared with a secret.
        name: "project_key_resolve",
        text: `
          select key.project_id, project.organization_id
          from auth.project_keys key
          join auth.projects project on project.id = key.project_id
          where key.fingerprint = $1`,
        values: [vault.fingerprint(apiKey)],
      });
      const [row] = rows;
      return row === undefined ? null : { projectId: row.project_id, organizationId: row.organization_id };
    },
  };
}
