import type { Handler } from "@touchstone/service-kit";
import type { AgentStore } from "../../agents/agent-store.ts";
import { requireProject } from "../require-project.ts";
import { showAgent } from "./show-agent.ts";

/** `GET /agents`: every agent of the project, by name (completions 9.1). */
export function listAgents({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const listed = await agents.listAgents(requireProject(call.identity));
    return {
      status: 200,
      body: {
        agents: listed.map((agent) => ({
          ...showAgent(agent),
          kind: "agent",
          agentType: "external",
          monitoringAgentId: agent.id,
          // Monitoring profiles are not part of this version.
          monitoringProfile: null,
        })),
      },
    };
  };
}
