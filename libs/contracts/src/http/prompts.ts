import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { listEnd } from "./list-page.ts";

/** Body of `POST /custom-agent-evaluations/prompts` (completions 14). A known name gets a new version. */
export const submittedPrompt = z.object({
  name: z.string().min(1).max(limits.registryNameMaxChars),
  text: z.string().min(1),
  description: z.string().nullish(),
  workspaceId: submittedWorkspaceId.optional(),
});

/** A prompt at one of its versions. */
export const prompt = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  version: z.number().int(),
  text: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const promptParams = z.object({ promptId: z.string().describe("The prompt's id or its name") });
export const promptQuery = z.object({ version: z.string().optional().describe("An older version's number") });
export const promptList = z.object({ prompts: z.array(prompt), ...listEnd });
