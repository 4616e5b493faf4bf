import type { Database } from "@touchstone/db";

/** An organization with its projects and members. */
export interface OrganizationOverview {
  organizationId: string;
  name: string;
  createdAt: Date;
  members: number;
  /** Without those that are being deleted; oldest first. */
  projectIds: string[];
}

/** Reads the projects of organizations, for totals over them. */
export interface OrganizationReader {
  /** One organization, or all of them, oldest first. */
  listOrganizations(organizationId: string | null): Promise<OrganizationOverview[]>;
  /** Projects without an organization, oldest first. */
  listUnassigned(): Promise<string[]>;
}

export function createOrganizationReader(database: Database): OrganizationReader {
  return {
    async listOrganizations(organizationId) {
      const { rows } = await database.query<{
        id: string;
        name: string;
        created_at: Date;
        members: string;
        project_ids: string[];
      }>({
        name: "organization_overviews",
        text: `
          select
            organization.id, organization.name, organization.created_at,
            (select count(*) from auth.members member where member.organization_id = organization.id) as members,
            array(
              select project.id
              from auth.projects project
              where project.organization_id = organization.id and project.deleting_since is null
              order by project.id
            ) as project_ids
          from auth.organizations organization
          where $1::uuid is null or organization.id = $1
          order by organization.id`,
        values: [organizationId],
      });
      return rows.map((row) => ({
        organizationId: row.id,
        name: row.name,
        createdAt: row.created_at,
        members: Number(row.members),
        projectIds: row.project_ids,
      }));
    },

    async listUnassigned() {
      const { rows } = await database.query<{ id: string }>({
        name: "projects_unassigned",
        text: `
          select id
          from auth.projects
          where organization_id is null and deleting_since is null
          order by id`,
      });
      return rows.map(({ id }) => id);
    },
  };
}
