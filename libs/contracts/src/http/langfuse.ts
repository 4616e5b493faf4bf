import { z } from "zod";

/** `GET /api/public/health`. `version` is the version of Langfuse whose paths these are. */
export const langfuseHealth = z.object({ status: z.literal("OK"), version: z.string() });

/** `GET /api/public/projects`: the project of the key. */
export const langfuseProjects = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      organization: z.object({ id: z.string(), name: z.string() }),
      metadata: z.record(z.string(), z.json()),
    }),
  ),
});
