import type { Identity } from "@touchstone/contracts";
import type { Tenant } from "./fair-share.ts";

/** Caches the organizations of projects, for work that knows only the project. */
export interface Tenants {
  /** Records the organization of a verified identity. */
  learn(identity: Pick<Identity, "projectId" | "organizationId">): void;
  /** A project without a recent request counts as a separate tenant. */
  tenantOf(projectId: string): Tenant;
}

export function createTenants({ projectsMax = 10_000 }: { projectsMax?: number } = {}): Tenants {
  const organizations = new Map<string, string>();
  return {
    learn({ projectId, organizationId }) {
      if (projectId === null || organizations.get(projectId) === organizationId) return;
      organizations.delete(projectId);
      if (organizationId === null) return;
      organizations.set(projectId, organizationId);
      const [oldest] = organizations.keys();
      if (organizations.size > projectsMax && oldest !== undefined) organizations.delete(oldest);
    },
    tenantOf: (projectId) => ({ projectId, organizationId: organizations.get(projectId) ?? null }),
  };
}
