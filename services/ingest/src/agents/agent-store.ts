import { isUuid } from "@touchstone/contracts";
import { createReadList, type Database, type ListQuery, type Statement, selectPart } from "@touchstone/db";
import { type ListPage, type SizedRow, uuidv7 } from "@touchstone/service-kit";
import { agentIdOf } from "../model/ids.ts";

/** The agent of a trace (interface: Agent). */
export interface Agent {
  id: string;
  name: string;
  createdAt: Date;
}

/** The traffic of an agent that has root traces. */
export interface AgentTraffic {
  traceCount: number;
  /** Time of the newest of them. */
  lastSeenAt: Date;
}

/** The registry of agents. The first trace of an agent registers it, in the statement that stores the trace. */
export interface AgentStore {
  /** Null if the project has no agent with this id. */
  readAgent(projectId: string, id: string): Promise<Agent | null>;
  /** Finds by id, then the oldest of that name; null if the project has neither. */
  findAgent(projectId: string, idOrName: string): Promise<Agent | null>;
  /** Those of the ids that there are, sorted by name, then age. */
  listAgents(projectId: string, ids: readonly string[]): Promise<Agent[]>;
  /** A page of all of them, in the same order. */
  pageAgents(projectId: string, query: ListQuery): Promise<ListPage<Agent>>;
  /** The current number of root traces of each of these agents that has any. */
  readTraffic(projectId: string, ids: readonly string[]): Promise<Map<string, AgentTraffic>>;
  /** The oldest agent of the name. Registers one if there is none; concurrent calls register only one. */
  ensureAgent(projectId: string, name: string): Promise<Agent>;
  /** Registers another agent, even if the name exists. Traces of the name go to the oldest. */
  createAgent(projectId: string, name: string): Promise<Agent>;
}

const readList = createReadList("ingest");

type AgentRecord = { id: string; name: string; created_at: Date };

export function createAgentStore(database: Database): AgentStore {
  /** The agent with the id, else the oldest of the name. */
  async function find(projectId: string, id: string | null, name: string | null): Promise<Agent | null> {
    const { rows } = await database.readScoped<AgentRecord>([projectId], selectAgent(projectId, id, name));
    const [row] = rows;
    return row === undefined ? null : toAgent(row);
  }

  return {
    readAgent: async (projectId, id) => (isUuid(id) ? find(projectId, id, null) : null),
    findAgent: (projectId, idOrName) => find(projectId, isUuid(idOrName) ? idOrName : null, idOrName),
    async listAgents(projectId, ids) {
      const { rows } = await database.readScoped<AgentRecord>([projectId], selectAgents(projectId, ids));
      return rows.map(toAgent);
    },
    async pageAgents(projectId, query) {
      const page = await readList<AgentRecord & SizedRow, string>(database, projectId, query, {
        cursorOf: ({ id }) => id,
        statement: (cursor, bounds) => selectPage(projectId, cursor, bounds),
      });
      return { ...page, rows: page.rows.map(toAgent) };
    },
    async readTraffic(projectId, ids) {
      const { rows } = await database.readScoped<TrafficRecord>([projectId], selectTraffic(projectId, ids));
      return new Map(
        rows.map((row) => [row.agent_id, { traceCount: Number(row.trace_count), lastSeenAt: row.last_seen_at }]),
      );
    },
    async ensureAgent(projectId, name) {
      const there = await find(projectId, null, name);
      if (there !== null) return there;
      await database.scoped([projectId], (transaction) => transaction.query(buildEnsure(projectId, name)));
      const registered = await find(projectId, null, name);
      if (registered === null) throw new Error("an agent was registered and does not exist");
      return registered;
    },
    async createAgent(projectId, name) {
      const { rows } = await database.scoped([projectId], (transaction) =>
        transaction.query<AgentRecord>(buildCreate(projectId, name)),
      );
      const [row] = rows;
      if (row === undefined) throw new Error("an agent was registered and none came back");
      return toAgent(row);
    },
  };
}

const toAgent = ({ id, name, created_at }: AgentRecord): Agent => ({ id, name, createdAt: created_at });

const selectAgent = (projectId: string, id: string | null, name: string | null): Statement => ({
  name: "agent_find",
  text: `
    select id, name, created_at
    from ingest.agents
    where project_id = $1 and (id = $2 or name_key = $3)
    order by id = $2 desc nulls last, created_at, id
    limit 1`,
  values: [projectId, id, name === null ? null : agentIdOf(projectId, name)],
});

const selectAgents = (projectId: string, ids: readonly string[]): Statement => ({
  name: "agents_named",
  text: `
    select id, name, created_at
    from ingest.agents
    where project_id = $1 and id = any ($2::uuid[])
    order by name, created_at, id`,
  values: [projectId, ids],
});

/** The agents after the one whose id is `cursor`; null = from the first. */
const selectPage = (
  projectId: string,
  cursor: string | null,
  { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number },
): Statement => ({
  name: "agents_page",
  text: selectPart({
    rows: `
      select id, name, created_at
      from ingest.agents
      where project_id = $1 and ($2::uuid is null or (name, created_at, id) > (
        select last.name, last.created_at, last.id
        from ingest.agents last
        where last.project_id = $1 and last.id = $2
      ))
      order by name, created_at, id
      limit $3`,
    large: ["name"],
    order: "name, created_at, id",
    columns: "id, name, created_at",
    bytesMax: "$4",
  }),
  values: [projectId, cursor, rowsMax, bytesMax],
});

interface TrafficRecord {
  agent_id: string;
  trace_count: string;
  last_seen_at: Date;
}

const selectTraffic = (projectId: string, ids: readonly string[]): Statement => ({
  name: "agents_read_traffic",
  text: `
    select roots.agent_id, roots.n as trace_count, newest.last_seen_at
    from (
      select agent_id, count(*) as n
      from ingest.spans
      where project_id = $1 and is_root and agent_id = any ($2::uuid[])
      group by agent_id
    ) roots
    cross join lateral (
      -- The time in its id is the trace's own.
      select uuid_extract_timestamp(spans.id) as last_seen_at
      from ingest.spans
      where spans.project_id = $1 and spans.agent_id = roots.agent_id and is_root
      order by spans.id desc
      limit 1
    ) newest`,
  values: [projectId, ids],
});

const buildEnsure = (projectId: string, name: string): Statement => ({
  name: "agent_ensure",
  text: `
    insert into ingest.agents (project_id, id, name_key, name, is_requested)
    values ($1, $2, $2, $3, true)
    on conflict (project_id, id) do update
    set is_requested = true`,
  values: [projectId, agentIdOf(projectId, name), name],
});

/** The first agent of a name gets the id that its traces derive from the name, so that they find it. */
const buildCreate = (projectId: string, name: string): Statement => ({
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
});
