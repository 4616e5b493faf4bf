import { type agentFound, agentQuery } from "@touchstone/contracts";
import { type Handler, isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgentStore } from "../../agents/agent-store.ts";

/** The question of monitor for one agent. What looks like an id is never registered as a name. */
export function resolveAgent({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const { projectId, idOrName, register } = agentQuery.parse(await call.json());
    const agent =
      register && !isUuid(idOrName)
        ? await agents.ensureAgent(projectId, idOrName)
        : await agents.findAgent(projectId, idOrName);
    const reply: z.input<typeof agentFound> = {
      agent: agent && { id: agent.id, name: agent.name, createdAt: agent.createdAt.toISOString() },
    };
    return { status: 200, body: reply };
  };
}
