import { isUuid, limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { agentIdOf } from "../model/ids.ts";

/** The agent of a trace (interface: Agent). */
export interface Agent {
  id: string;
  name: string;
  createdAt: Date;
}

/** An agent with its traffic. */
export interface AgentWithTraffic extends Agent {
  traceCount: number;
  /** Time of its newest root trace; null if it has none. */
  lastSeenAt: Date | null;
}

/** The registry of agents. The first trace of an agent registers it, in the statement that stores the trace. */
export interface AgentStore {
  /** Null if the project has no agent with this id. */
  readAgent(projectId: string, id: string): Promise<Agent | null>;
  /** Finds by id, then the oldest of that name; null if the project has neither. */
  findAgent(projectId: string, idOrName: string): Promise<Agent | null>;
  /** Sorted by name, then age; at most `limits.agentsListedMax`. Null ids select the whole project. */
  listAgents(projectId: string, ids: readonly string[] | null): Promise<Agent[]>;
  /** The same, with the current number of root traces of each agent. */
  listAgentsWithTraffic(projectId: string, ids: readonly string[] | null): Promise<AgentWithTraffic[]>;
  /** The oldest agent of the name. Registers one if there is none; concurrent calls register only one. */
  ensureAgent(projectId: string, name: string): Promise<Agent>;
  /** Registers another agent, even if the name exists. Traces of the name go to the oldest. */
  createAgent(projectId: string, name: string): Promise<Agent>;
}

export function createAgentStore(database: Database): AgentStore {
  interface AgentRecord {
    id: string;
    name: string;
    created_at: Date;
  }

  const toAgent = ({ id, name, created_at }: AgentRecord): Agent => ({ id, name, createdAt: created_at });

  async function find(projectId: string, id: string | null, name: string | null): Promise<Agent | null> {
    const { rows } = await database.readScoped<AgentRecord>([projectId], {
      // At most one row: the agent with the id, else the oldest of the name.
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
    return row === undefined ? null : toAgent(row);
  }

  return {
    readAgent: async (projectId, id) => (isUuid(id) ? find(projectId, id, null) : null),
    findAgent: (projectId, idOrName) => find(projectId, isUuid(idOrName) ? idOrName : null, idOrName),
    async listAgents(projectId, ids) {
      const { rows } = await database.readScoped<AgentRecord>([projectId], {
        name: "agents_list",
        text: `
          select id, name, created_at
          from ingest.agents
          where project_id = $1 and ($3::uuid[] is null or id = any ($3))
          order by name, created_at, id
          limit $2`,
        values: [projectId, limits.agentsListedMax, ids],
      });
      return rows.map(toAgent);
    },
    async listAgentsWithTraffic(projectId, ids) {
      const { rows } = await database.readScoped<AgentRecord & { trace_count: string; last_seen_at: Date | null }>(
        [projectId],
        {
          name: "agents_list_with_traffic",
          text: `
            select agents.id, agents.name, agents.created_at, coalesce(roots.n, 0) as trace_count, newest.last_seen_at
            from ingest.agents
            left join (
              select agent_id, count(*) as n
              from ingest.spans
              where project_id = $1 and is_root and agent_id is not null and ($3::uuid[] is null or agent_id = any ($3))
              group by agent_id
            ) roots on roots.agent_id = agents.id
            left join lateral (
              -- The time in its id is the trace's own.
              select uuid_extract_timestamp(spans.id) as last_seen_at
              from ingest.spans
              where spans.project_id = $1 and spans.agent_id = agents.id and is_root
              order by spans.id desc
              limit 1
            ) newest on roots.n is not null
            where agents.project_id = $1 and ($3::uuid[] is null or agents.id = any ($3))
            order by agents.name, agents.created_at, agents.id
            limit $2`,
          values: [projectId, limits.agentsListedMax, ids],
        },
      );
      return rows.map((row) => ({
        ...toAgent(row),
        traceCount: Number(row.trace_count),
        lastSeenAt: row.last_seen_at,
      }));
    },
    async ensureAgent(projectId, name) {
      const there = await find(projectId, null, name);
      if (there !== null) return there;
      await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "agent_ensure",
          text: `
            insert into ingest.agents (project_id, id, name_key, name, is_requested)
            values ($1, $2, $2, $3, true)
            on conflict (project_id, id) do update
            set is_requested = true`,
          values: [projectId, agentIdOf(projectId, name), name],
        }),
      );
      const registered = await find(projectId, null, name);
      if (registered === null) throw new Error("an agent was registered and does not exist");
      return registered;
    },
    async createAgent(projectId, name) {
      const { rows } = await database.scoped([projectId], (transaction) =>
        transaction.query<AgentRecord>({
          // The first agent of a name gets the id that its traces derive from the name, so that they find it.
          name: "agent_create",
          text: `
            with first as (
              insert into ingest.agents (project_id, id, name_key, name, is_requested)
              values ($1, $2, $2, $3, true)
              on conflict do nothing
              returning id, name, created_at
            ),
            another as (
              insert into ingest.agents (project_id, id, name_key, name, is_requested)
              select $1, $4, $2, $3, true
              where not exists (select from first)
              returning id, name, created_at
            )
            select * from first union all select * from another`,
          values: [projectId, agentIdOf(projectId, name), name, uuidv7(Date.now())],
        }),
      );
      const [row] = rows;
      if (row === undefined) throw new Error("an agent was registered and none came back");
      return toAgent(row);
    },
  };
}
