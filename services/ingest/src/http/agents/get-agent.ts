import { AppError, type Handler } from "@touchstone/service-kit";
import type { AgentStore } from "../../agents/agent-store.ts";
import { requireProject } from "../require-project.ts";
import { showAgent } from "./show-agent.ts";

/** `GET /agents/{agentId}` (interface: Agent). */
export function getAgent({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const agent = await agents.readAgent(requireProject(call.identity), call.params.agentId ?? "");
    if (agent === null) throw new AppError("not_found", "Agent not found");
    return { status: 200, body: { agent: showAgent(agent) } };
  };
}
