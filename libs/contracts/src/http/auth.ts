import { z } from "zod";

/** `GET /auth/config` in default mode (interface: Account routes; completions 12.1). */
export const authConfig = z.object({
  mode: z.literal("disabled"),
  needsSetup: z.boolean(),
  apiKey: z.string(),
});

export const project = z.object({
  _id: z.string(),
  name: z.string(),
  apiKey: z.string(),
  isDefault: z.boolean(),
  createdAt: z.string(),
});

export const projectList = z.object({ projects: z.array(project) });
export const projectReply = z.object({ project });
export const submittedProject = z.object({ name: z.string().min(1).max(200), workspaceId: z.string().optional() });
export const projectParams = z.object({ projectId: z.string() });
