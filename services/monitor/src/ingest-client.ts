import {
  type DashboardWindow,
  deadlines,
  type FoundAgent,
  type HumanScores,
  internalRoutes,
  type JudgedTrace,
  type RecordedTurn,
  type ScriptTrace,
} from "@touchstone/contracts";
import { type InternalClient, type ListPage, uuidv7 } from "@touchstone/service-kit";

/** An agent with its number of traces. */
export interface AgentTraffic extends FoundAgent {
  traceCount: number;
  /** ISO 8601; null: it has no trace. */
  lastSeenAt: string | null;
}

/** A page of agents. */
export interface AgentsQuery {
  /** The agent to continue after; null = from the beginning. */
  cursor: string | null;
  limit: number;
  withTraffic: boolean;
}

/**
 * Monitor's requests to ingest. Every call has a deadline and throws `service_unavailable` when ingest does not answer, or its
 * answer is invalid.
 */
export interface IngestClient {
  /** The input and output of a trace, truncated to `contentMaxChars` if given; null = no such trace in the project. */
  readTrace(projectId: string, traceId: string, options?: { contentMaxChars?: number }): Promise<JudgedTrace | null>;
  /** True if the project has the trace. */
  hasTrace(projectId: string, traceId: string): Promise<boolean>;
  /** A trace with its spans, for scorers that are programs. */
  readTraceForScripts(projectId: string, traceId: string): Promise<ScriptTrace | null>;
  /** The turns of a session, in order; empty when it does not exist. */
  readTurns(projectId: string, sessionId: string): Promise<RecordedTurn[]>;
  /** Those of the agents that there are, by name. */
  findAgents(projectId: string, ids: readonly string[]): Promise<FoundAgent[]>;
  /** A page of the project's agents, by name; with the counts of their root traces where that is asked, else zeros. */
  pageAgents(projectId: string, query: AgentsQuery): Promise<ListPage<AgentTraffic>>;
  /** USD by model, over all spans of a window; models without a known price are left out. */
  readModelCosts(of: {
    projectId: string;
    organizationId: string | null;
    window: DashboardWindow;
  }): Promise<ReadonlyMap<string, number>>;
  /**
   * USD by agent, over all its spans of a window; null is for spans without an agent. Agents without a known price are left
   * out.
   */
  readAgentCosts(of: {
    projectId: string;
    organizationId: string | null;
    window: DashboardWindow;
  }): Promise<ReadonlyMap<string | null, number>>;
  /** A page of the scores that people gave to whole traces since then, newest first. */
  readHumanScores(projectId: string, since: Date, cursor: string | null): Promise<HumanScores>;
  /** By id, else the oldest with the name; `register` creates one for a new name. */
  resolveAgent(projectId: string, idOrName: string, options: { register: boolean }): Promise<FoundAgent | null>;
}

export function createIngestClient(client: Pick<InternalClient, "call">): IngestClient {
  const options = () => ({ requestId: uuidv7(Date.now()), deadlineMs: deadlines.traceReadMs });
  return {
    readHumanScores: (projectId, since, cursor) =>
      client.call(internalRoutes.readHumanScores, { projectId, since: since.toISOString(), cursor }, options()),
    async readTrace(projectId, traceId, { contentMaxChars } = {}) {
      const asked = { projectId, traceId, withContent: true, ...(contentMaxChars && { contentMaxChars }) };
      return (await client.call(internalRoutes.readTraceForJudging, asked, options())).trace;
    },
    async hasTrace(projectId, traceId) {
      const asked = { projectId, traceId, withContent: false };
      return (await client.call(internalRoutes.readTraceForJudging, asked, options())).trace !== null;
    },
    async readTraceForScripts(projectId, traceId) {
      return (await client.call(internalRoutes.readTraceForScripts, { projectId, traceId }, options())).trace;
    },
    async readTurns(projectId, sessionId) {
      return (await client.call(internalRoutes.readTurns, { projectId, sessionId }, options())).turns;
    },
    async findAgents(projectId, ids) {
      const asked = { projectId, ids: [...ids], withTraffic: false };
      return (await client.call(internalRoutes.findAgents, asked, options())).agents;
    },
    async pageAgents(projectId, { cursor: after, limit, withTraffic }) {
      const asked = { projectId, ids: null, withTraffic, after, limit };
      const {
        agents,
        hasNextPage = false,
        truncatedBy,
      } = await client.call(internalRoutes.findAgents, asked, options());
      const rows = agents.map((agent) => ({ ...agent, traceCount: agent.traceCount ?? 0 }));
      return { rows, hasNextPage, isCut: truncatedBy === "bytes" };
    },
    async readModelCosts(of) {
      const { costs } = await client.call(internalRoutes.readModelCosts, of, options());
      return new Map(costs.map(({ model, cost }) => [model, cost]));
    },
    async readAgentCosts(of) {
      const { costs } = await client.call(internalRoutes.readAgentCosts, of, options());
      return new Map(costs.map(({ agentId, cost }) => [agentId, cost]));
    },
    async resolveAgent(projectId, idOrName, { register }) {
      return (await client.call(internalRoutes.resolveAgent, { projectId, idOrName, register }, options())).agent;
    },
  };
}
