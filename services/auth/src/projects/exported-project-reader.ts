import type { Database } from "@touchstone/db";

/** A project as it is exported: its row without its key (completions 13). */
export interface ExportedProject {
  id: string;
  name: string;
  isDefault: boolean;
  organizationId: string | null;
  createdAt: Date;
}

/** Null if there is no such project, or it is older than `sinceMs` (epoch milliseconds; null = any age). */
export type ReadExportedProject = (projectId: string, sinceMs: number | null) => Promise<ExportedProject | null>;

export function createExportedProjectReader(database: Database): ReadExportedProject {
  return async (projectId, sinceMs) => {
    const { rows } = await database.query<{
      id: string;
      name: string;
      is_default: boolean;
      organization_id: string | null;
      created_at: Date;
    }>({
      name: "project_export",
      text: `
        select id, name, is_default, organization_id, created_at
        from auth.projects
        where id = $1
          and deleting_since is null
          and ($2::float8 is null or created_at >= to_timestamp($2 / 1000))`,
      values: [projectId, sinceMs],
    });
    const [row] = rows;
    if (row === undefined) return null;
    return {
      id: row.id,
      name: row.name,
      isDefault: row.is_default,
      organizationId: row.organization_id,
      createdAt: row.created_at,
    };
  };
}
