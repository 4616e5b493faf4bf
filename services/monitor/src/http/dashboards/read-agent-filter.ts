import { isUuid } from "@touchstone/service-kit";

/** The agent that a dashboard is narrowed to; a null `id` is all. What is no id names no agent: nothing is counted. */
export function readAgentFilter(value: string | string[] | undefined): { id: string | null; isUnknown: boolean } {
  const agentId = [value ?? null].flat()[0] || null;
  return { id: agentId, isUnknown: agentId !== null && !isUuid(agentId) };
}
