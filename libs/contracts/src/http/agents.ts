import { z } from "zod";
import { limits } from "../limits.ts";
import { storable } from "./texts.ts";

export const agentParams = z.object({ agentId: z.string() });

/** interface: Agent. */
export const agentReply = z.object({
  agent: z.object({ _id: z.string(), name: z.string(), createdAt: z.string() }),
});

/** Body of `POST /agents` (completions 9.1). */
export const submittedAgent = z.object({
  name: z.string().min(1).max(limits.traceNameMaxChars).check(storable),
});
export const submittedAgentSentences = {
  name: {
    too_big: `name must have at most ${limits.traceNameMaxChars} characters`,
    custom: "name must be text without NUL",
    otherwise: "name is required",
  },
} as const;
