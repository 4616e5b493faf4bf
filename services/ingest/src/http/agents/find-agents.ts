import { type agentsFound, agentsQuery } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgentStore } from "../../agents/agent-store.ts";

/** The question of monitor for a project's agents, with their traces counted where that is asked. */
export function findAgents({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const { projectId, ids, withTraffic } = agentsQuery.parse(await call.json());
    const reply: z.input<typeof agentsFound> = {
      agents: withTraffic
        ? (await agents.listAgentsWithTraffic(projectId, ids)).map((agent) => ({
            ...agent,
            createdAt: agent.createdAt.toISOString(),
            lastSeenAt: agent.lastSeenAt?.toISOString() ?? null,
          }))
        : (await agents.listAgents(projectId, ids)).map((agent) => ({
            ...agent,
            createdAt: agent.createdAt.toISOString(),
            traceCount: null,
            lastSeenAt: null,
          })),
    };
    return { status: 200, body: reply };
  };
}
