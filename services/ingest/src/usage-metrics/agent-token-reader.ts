import type { Database, Statement } from "@touchstone/db";
import { idBefore } from "../model/ids.ts";
import type { TokenUse } from "./metrics-store.ts";
import { repeatedOfSpans, repeatedTokenSums } from "./repeated-usage-reader.ts";
import { inWindow, isPriceable, planning, pricingModel, tokenSums } from "./span-window-reader.ts";

/** Tokens of one agent by model; negative to subtract what a parent repeats of its children. */
export interface AgentTokenUse extends Omit<TokenUse, "start"> {
  /** Null: no agent is known for them. */
  agentId: string | null;
}

/** Sums the usage of each agent of a project, from the same narrow index as the metrics of one agent (decision 37). */
export interface AgentTokenReader {
  /** At most 1,000 agents, those with the highest usage. `until` is exclusive. */
  read(query: { projectId: string; since: Date; until: Date }): Promise<AgentTokenUse[]>;
}

const agentsMax = 1_000;
/** More models than other names: each has its own price. */
const modelsMax = 200;

export function createAgentTokenReader(searching: Database): AgentTokenReader {
  return {
    async read({ projectId, since, until }) {
      const values = [projectId, idBefore(since.getTime()), idBefore(until.getTime())];
      const used: Statement = { name: "agent_tokens", text: usedText, values };
      const repeated: Statement = { name: "agent_tokens_repeated", text: repeatedText, values };
      const [, own, taken] = await searching.readScoped<[Record<string, unknown>, UseRecord, UseRecord]>(
        [projectId],
        [planning, used, repeated],
      );
      const listed = new Set(own.rows.map(({ agent_id }) => agent_id));
      return [...own.rows, ...taken.rows.filter(({ agent_id }) => listed.has(agent_id))].map(toUse);
    },
  };
}

const spans = inWindow(false);

/**
 * A span without an agent belongs to the agent of the roots that share its trace or session, as in the filter by agent.
 */
const owners = `
  owners as (
    select trace_key, agent_id
    ${spans}
      and is_root
      and agent_id is not null
      and trace_key is not null
    group by 1, 2
  )`;

const usedText = `
  with ${owners},
  base as materialized (
    select agent_id, case when agent_id is null then trace_key end as trace_key,
           ${pricingModel} as model, ${isPriceable} as is_priceable,
           ${tokenSums}
    ${spans}
      and net_tokens is not null
    group by 1, 2, 3, 4
  ),
  models as (
    select model
    from base
    where model is not null
    group by model
    order by sum(coalesce(input, 0) + coalesce(output, 0)) desc, model
    limit ${modelsMax}
  ),
  used as (
    select coalesce(base.agent_id, owners.agent_id) as agent_id, models.model, is_priceable, sum(input) as input,
           sum(output) as output, sum(cache_read) as cache_read, sum(cache_write) as cache_write, sum(fresh) as fresh
    from base
    left join owners on base.agent_id is null and owners.trace_key = base.trace_key
    left join models on models.model = base.model
    group by 1, 2, 3
  ),
  agents as (
    select agent_id
    from used
    group by agent_id
    order by sum(coalesce(input, 0) + coalesce(output, 0)) desc, agent_id
    limit ${agentsMax}
  )
  select used.*
  from used
  join agents on agents.agent_id is not distinct from used.agent_id`;

const repeatedText = `
  ${repeatedOfSpans(spans)},
  ${owners}
  select coalesce(repeated.agent_id, owners.agent_id) as agent_id, model, is_priceable, ${repeatedTokenSums}
  from repeated
  left join owners on repeated.agent_id is null and owners.trace_key = repeated.trace_key
  group by 1, 2, 3`;

type UseRecord = {
  agent_id: string | null;
  model: string | null;
  is_priceable: boolean;
  input: number | null;
  output: number | null;
  cache_read: number | null;
  cache_write: number | null;
  fresh: number | null;
};

const toUse = (record: UseRecord): AgentTokenUse => ({
  agentId: record.agent_id,
  model: record.model,
  isPriceable: record.is_priceable,
  input: record.input ?? 0,
  output: record.output ?? 0,
  cacheRead: record.cache_read ?? 0,
  cacheWrite: record.cache_write ?? 0,
  fresh: record.fresh ?? 0,
});
