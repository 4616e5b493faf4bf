import type { project as projectContract } from "@touchstone/contracts";
import type { z } from "zod";
import type { Project } from "./project-store.ts";

/** A project as the API shows it, key included (completions 12.2). */
export function showProject(project: Project): z.infer<typeof projectContract> {
  return {
    _id: project.id,
    name: project.name,
    apiKey: project.apiKey,
    isDefault: project.isDefault,
    organizationId: project.organizationId,
    createdAt: project.createdAt.toISOString(),
  };
}

/** An answer that shows a key is nothing a browser or proxy may keep. */
export const uncached = { "cache-control": "no-store" };
