import { isUuid, limits, type MonitoringDefaults, routes, type trackedAgentList } from "@touchstone/contracts";
import {
  type Answer,
  AppError,
  actOf,
  type Call,
  type Clock,
  encodeList,
  endOfList,
  endText,
  firstOf,
  type Handler,
  type ListPage,
  parseBody,
  readJsonObject,
  readLimit,
  readParameter,
  requireProject,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgentTraffic, IngestClient } from "../ingest-client.ts";
import { renderProfile, type StoredProfile } from "./profile.ts";
import type { ProfileStore } from "./profile-store.ts";

interface Dependencies {
  profiles: ProfileStore;
  ingest: IngestClient;
  clock: Clock;
}

/** The agents of a project, and whether they are tracked (completions 9.1). */
export function agentRoutes(dependencies: Dependencies): ServedRoute[] {
  return [
    { route: routes.listAgents, handle: listAgents(dependencies) },
    { route: routes.listTrackedAgents, handle: listTrackedAgents(dependencies) },
    { route: routes.setTrackedAgent, handle: setTrackedAgent(dependencies) },
  ];
}

/** The part of a list that is asked for. */
interface AskedPage {
  cursor: string | null;
  limit: number;
}

/** `GET /agents` (completions 9.1): ingest's agents, by name, with their profiles. */
function listAgents({ profiles, ingest }: Dependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const asked = await readPage(call, ingest);
    const [found, defaults] = await Promise.all([
      ingest.pageAgents(projectId, { ...asked, withTraffic: false }),
      profiles.readDefaults(projectId),
    ]);
    if (found.rows.length > agentsAtOnce) await call.makeRoom(limits.listBytesMax);
    const texts = await showAgents(found, defaults, (ids) => profiles.findAll(projectId, ids));
    const page = firstOf(found, texts.length);
    return { status: 200, body: await encodeList('{"agents":[', texts, `]${endText(page, ({ id }) => id)}`) };
  };
}

/** Agents whose profiles are read together: the largest have a few megabytes. */
const agentsAtOnce = 200;

/** The agents of a page as JSON: all of them, or the first ones that fit. */
async function showAgents(
  { rows }: ListPage<AgentTraffic>,
  defaults: MonitoringDefaults,
  findProfiles: (agentIds: readonly string[]) => Promise<StoredProfile[]>,
): Promise<string[]> {
  const texts: string[] = [];
  let bytes = 0;
  for (let start = 0; start < rows.length; start += agentsAtOnce) {
    const part = rows.slice(start, start + agentsAtOnce);
    const stored = await findProfiles(part.map(({ id }) => id));
    const byAgent = new Map(stored.map((profile) => [profile.agentId, renderProfile(profile, defaults)]));
    for (const { id, name, createdAt } of part) {
      const text = JSON.stringify({
        _id: id,
        name,
        createdAt,
        kind: "agent",
        agentType: "external",
        monitoringAgentId: id,
        monitoringProfile: byAgent.get(id) ?? null,
      });
      bytes += Buffer.byteLength(text);
      if (texts.length > 0 && bytes > limits.listBytesMax) return texts;
      texts.push(text);
    }
  }
  return texts;
}

/** GET /ingest/tracked-agents (completions 9.1). */
function listTrackedAgents(dependencies: Dependencies): Handler {
  return async (call) => showTrackedAgents(dependencies, call, await readPage(call, dependencies.ingest));
}

/**
 * PUT /ingest/tracked-agents (completions 9.1): an agent is tracked if its profile is enabled. Traces are stored either way. An
 * agent of another project is refused like an unknown one.
 */
function setTrackedAgent(dependencies: { profiles: ProfileStore; ingest: IngestClient; clock: Clock }): Handler {
  const { profiles, ingest, clock } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const { agentId, tracked } = parseBody((await readJsonObject(call)).value, routes.setTrackedAgent.body);
    if (!isUuid(agentId)) throw new AppError("not_found", "Agent not found");
    const [agent] = await ingest.findAgents(projectId, [agentId]);
    if (agent === undefined) {
      throw new AppError("forbidden", "Agent not found in workspace or insufficient permissions");
    }
    await profiles.change(projectId, agent.id, {
      id: uuidv7(clock.now()),
      now: new Date(clock.now()),
      compose: (document) => ({ ...document, enabled: tracked }),
      act: actOf(call.identity),
    });
    return showTrackedAgents(dependencies, call, { cursor: null, limit: limits.agentsListedMax });
  };
}

/**
 * The answer of both routes of tracked agents: an agent is tracked unless its profile is disabled (completions 9.1).
 */
async function showTrackedAgents(
  { profiles, ingest }: Pick<Dependencies, "profiles" | "ingest">,
  call: Call,
  asked: AskedPage,
): Promise<Answer> {
  const projectId = requireProject(call);
  const page = await ingest.pageAgents(projectId, { ...asked, withTraffic: true });
  const ids = page.rows.map(({ id }) => id);
  const off = await profiles.findDisabled(projectId, ids);
  const body: z.input<typeof trackedAgentList> = {
    agents: page.rows.map(({ id, name, traceCount, lastSeenAt }) => ({
      _id: id,
      name,
      tracked: !off.has(id),
      traceCount,
      lastSeenAt,
    })),
    ...endOfList(page, ({ id }) => id),
  };
  return { status: 200, body };
}

/** The page of a list by name. Throws `bad_request` for an invalid limit, or a cursor that is no agent of the project. */
async function readPage(call: Call, ingest: Pick<IngestClient, "findAgents">): Promise<AskedPage> {
  const limit = readLimit(call.query, { byDefault: limits.agentsListedMax, max: limits.agentsListedMax });
  const cursor = readParameter(call.query, "cursor");
  if (cursor !== null) {
    const known = isUuid(cursor) ? await ingest.findAgents(requireProject(call), [cursor]) : [];
    if (known.length === 0) throw new AppError("bad_request", "cursor must be the id of an agent of the project");
  }
  return { cursor, limit };
}
