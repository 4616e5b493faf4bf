import { z } from "zod";

export const agentParams = z.object({ agentId: z.string() });

/** interface: Agent. */
export const agentReply = z.object({
  agent: z.object({ _id: z.string(), name: z.string(), createdAt: z.string() }),
});
