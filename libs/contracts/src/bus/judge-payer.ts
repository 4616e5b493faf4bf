import { z } from "zod";

/** Whose judge calls these are: quotas count per organization, verdicts are kept per organization. */
export const payer = { projectId: z.uuid(), organizationId: z.uuid().nullable().default(null) };
