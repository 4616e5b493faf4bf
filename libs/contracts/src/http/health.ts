import { z } from "zod";

export const health = z.object({ status: z.literal("ok") });

/** `GET /health/ready` (completions 1.1): one entry per part, `ok` or a short reason. */
export const readiness = z.object({
  status: z.enum(["ready", "not_ready"]),
  checks: z.record(z.string(), z.string()),
});
