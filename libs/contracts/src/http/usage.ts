import { z } from "zod";

/** The maximum number of projects in one request for usage. */
export const countedProjectsMax = 500;

const projectIds = z.array(z.uuid()).max(countedProjectsMax);
const count = z.number().int().nonnegative();

/** The organizations to read: one, or all of them together with the projects of none. */
export const organizationsQuery = z.object({ organizationId: z.uuid().nullable() });

/** Organizations with their projects, except those that are being deleted. */
export const organizationsReply = z.object({
  organizations: z.array(
    z.object({
      organizationId: z.uuid(),
      name: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
      members: count,
      projectIds: z.array(z.uuid()),
    }),
  ),
  /** Projects without an organization; empty when one organization was requested. */
  unassigned: z.array(z.uuid()),
});

/** Root traces of the last 24 hours, by project; a project without any may be missing. */
export const recentRootsQuery = z.object({ projectIds });
export const recentRootsReply = z.object({ projects: z.array(z.object({ projectId: z.uuid(), roots: count })) });

/** The number of traces a project stored on the current UTC day, and its quota. */
export const traceUsageQuery = z.object({ projectId: z.uuid() });
export const traceUsageReply = z.object({
  /** YYYY-MM-DD, UTC. */
  day: z.string(),
  /** ISO 8601. */
  resetsAt: z.string(),
  used: count,
  /** Null: unlimited. */
  limit: z.number().int().nullable(),
});

/** Live judge calls of one project on the current UTC day, and their quota. */
export const liveUsageQuery = z.object({ projectId: z.uuid() });
export const liveUsageReply = z.object({
  used: count,
  /** Null: unlimited. */
  limit: z.number().int().nullable(),
});
