import type { Agent } from "../../agents/agent-store.ts";

/** interface: Agent. */
export function showAgent({ id, name, createdAt }: Agent): { _id: string; name: string; createdAt: string } {
  return { _id: id, name, createdAt: createdAt.toISOString() };
}
