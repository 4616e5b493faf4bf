import {
  type agentFound,
  agentQuery,
  type agentsFound,
  agentsQuery,
  internalRoutes,
  isUuid,
  limits,
  routes,
} from "@touchstone/contracts";
import {
  AppError,
  endOfList,
  type Handler,
  parseBody,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Agent, AgentStore } from "./agent-store.ts";

/** Routes for agents: the public ones of a project, and those that monitor calls. */
export function agentRoutes(dependencies: {
  agents: AgentStore;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads, onceReady } = dependencies;
  return [
    { route: routes.createAgent, handle: onceReady(createAgent(dependencies)) },
    { route: routes.getAgent, handle: reads(getAgent(dependencies)) },
    { route: internalRoutes.findAgents, handle: onceReady(findAgents(dependencies)) },
    { route: internalRoutes.resolveAgent, handle: onceReady(resolveAgent(dependencies)) },
  ];
}

/** `POST /agents` registers an agent; two agents may share a name (completions 9.1). */
function createAgent({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { name } = parseBody(await call.json(), routes.createAgent.body);
    return { status: 201, body: { agent: showAgent(await agents.createAgent(projectId, name)) } };
  };
}

/** `GET /agents/{agentId}` (interface: Agent). */
function getAgent({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const agent = await agents.readAgent(requireProject(call), call.params.agentId ?? "");
    if (agent === null) throw new AppError("not_found", "Agent not found");
    return { status: 200, body: { agent: showAgent(agent) } };
  };
}

/** Answers monitor's request for a project's agents, with trace counts on request. */
function findAgents({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const { projectId, ids, withTraffic, after, limit } = agentsQuery.parse(await call.json());
    const query = { cursor: after ?? null, limit: limit ?? limits.agentsListedMax, makeRoom: call.makeRoom };
    const page =
      ids === null
        ? await agents.pageAgents(projectId, query)
        : { rows: await agents.listAgents(projectId, ids), hasNextPage: false, isCut: false };
    const idsOfPage = page.rows.map(({ id }) => id);
    const traffic = withTraffic ? await agents.readTraffic(projectId, idsOfPage) : null;
    const reply: z.input<typeof agentsFound> = {
      agents: page.rows.map((agent) => ({
        ...agent,
        createdAt: agent.createdAt.toISOString(),
        traceCount: traffic === null ? null : (traffic.get(agent.id)?.traceCount ?? 0),
        lastSeenAt: traffic?.get(agent.id)?.lastSeenAt.toISOString() ?? null,
      })),
      ...endOfList(page, ({ id }) => id),
    };
    return { status: 200, body: reply };
  };
}

/** Answers monitor's request for one agent. An id is never registered as a name. */
function resolveAgent({ agents }: { agents: AgentStore }): Handler {
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

/** interface: Agent. */
function showAgent({ id, name, createdAt }: Agent): { _id: string; name: string; createdAt: string } {
  return { _id: id, name, createdAt: createdAt.toISOString() };
}
