import { AppError, type Handler, requireProject } from "@touchstone/service-kit";
import type { AgentStore } from "../../agents/agent-store.ts";
import { showAgent } from "./show-agent.ts";

/** `GET /agents/{agentId}` (interface: Agent). */
export function getAgent({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const agent = await agents.readAgent(requireProject(call), call.params.agentId ?? "");
    if (agent === null) throw new AppError("not_found", "Agent not found");
    return { status: 200, body: { agent: showAgent(agent) } };
  };
}
