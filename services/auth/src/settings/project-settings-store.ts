import type { Database, Queryable } from "@touchstone/db";
import { AppError, type Call } from "@touchstone/service-kit";

/** The organization and the settings of a project. */
interface StoredSettings {
  organizationId: string | null;
  /** Null: the installation's. */
  platformModel: string | null;
}

export interface ProjectSettingsStore {
  /** Null: no such project, or it is being deleted. */
  read(projectId: string): Promise<StoredSettings | null>;
  /** Returns the previous model. Null: no such project, or it is being deleted. */
  setPlatformModel(
    transaction: Queryable,
    projectId: string,
    model: string | null,
  ): Promise<{ before: string | null } | null>;
}

/** Stores {@link ProjectSettingsStore} in the rows of projects, under the app role. */
export function createProjectSettingsStore(database: Database): ProjectSettingsStore {
  return {
    async read(projectId) {
      const { rows } = await database.query<{ organization_id: string | null; platform_model: string | null }>({
        name: "project_settings_read",
        text: `
          select organization_id, platform_model
          from auth.projects
          where id = $1 and deleting_since is null`,
        values: [projectId],
      });
      const [row] = rows;
      return row === undefined ? null : { organizationId: row.organization_id, platformModel: row.platform_model };
    },

    async setPlatformModel(transaction, projectId, model) {
      const { rows } = await transaction.query<{ before: string | null }>({
        name: "project_set_platform_model",
        text: `
          update auth.projects project
          set platform_model = $2
          from (select id, platform_model from auth.projects where id = $1 for update) as former
          where project.id = former.id and project.deleting_since is null
          returning former.platform_model as before`,
        values: [projectId, model],
      });
      return rows[0] ?? null;
    },
  };
}

/** The project of the caller's key, with its settings. Throws 401 if it was deleted. */
export async function requireOwnProject(
  settings: ProjectSettingsStore,
  { identity }: Call,
): Promise<StoredSettings & { projectId: string }> {
  const { projectId } = identity;
  const stored = projectId === null ? null : await settings.read(projectId);
  if (projectId === null || stored === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return { projectId, ...stored };
}
