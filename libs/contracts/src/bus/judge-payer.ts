import { z } from "zod";

/** The organization of these judge calls: quotas count per organization, verdicts are kept per organization. */
export const payer = { projectId: z.uuid(), organizationId: z.uuid().nullable().default(null) };
