import type { Database } from "@touchstone/db";
import { isUuid } from "@touchstone/service-kit";
import { agentIdOf } from "./agent-id.ts";

/** An agent that traces belong to (interface: Agent). */
export interface Agent {
  id: string;
  name: string;
  createdAt: Date;
}

/** The registry of agents. New ones register themselves with their first trace, in the statement that stores it. */
export interface AgentStore {
  /** Null when the project has no agent of this id. */
  readAgent(projectId: string, id: string): Promise<Agent | null>;
  /** By id, else the oldest of that name; null when the project has neither. */
  findAgent(projectId: string, idOrName: string): Promise<Agent | null>;
}

export function createAgentStore(database: Database): AgentStore {
  async function find(projectId: string, id: string | null, name: string | null): Promise<Agent | null> {
    const { rows } = await database.readScoped<{ id: string; name: string; created_at: Date }>([projectId], {
      // At most one row: the agent of the id before the oldest of the name.
      name: "agent_find",
      text: `
        select id, name, created_at
        from ingest.agents
        where project_id = $1 and (id = $2 or name_key = $3)
        order by id = $2 desc nulls last, created_at, id
        limit 1`,
      values: [projectId, id, name === null ? null : agentIdOf(projectId, name)],
    });
    const [row] = rows;
    return row === undefined ? null : { id: row.id, name: row.name, createdAt: row.created_at };
  }

  return {
    readAgent: async (projectId, id) => (isUuid(id) ? find(projectId, id, null) : null),
    findAgent: (projectId, idOrName) => find(projectId, isUuid(idOrName) ? idOrName : null, idOrName),
  };
}
