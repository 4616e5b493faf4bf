import { hashUuid } from "./hash-uuid.ts";

/**
 * The id of the agent that a first trace of this name registers, and the key by which any agent of the name is found.
 * A hash, so that concurrent first traces agree without asking (completions 2.2, agent resolution).
 */
export function agentIdOf(projectId: string, name: string): string {
  return hashUuid("agent", projectId, name);
}
