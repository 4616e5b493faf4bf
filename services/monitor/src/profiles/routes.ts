import {
  type agentList,
  internalRoutes,
  isStorable,
  isUuid,
  limits,
  routes,
  type trackedAgentList,
} from "@touchstone/contracts";
import {
  type Answer,
  AppError,
  actOf,
  type Call,
  type Clock,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { composeProfile } from "./compose-profile.ts";
import { renderProfile } from "./profile.ts";
import type { ProfileStore } from "./profile-store.ts";

/** Agents and how they are monitored (completions 9.1, 9.2). */
export function profileRoutes(dependencies: {
  profiles: ProfileStore;
  ingest: IngestClient;
  clock: Clock;
  /** Keys of all built-in patterns. */
  builtinKeys: readonly string[];
}): ServedRoute[] {
  return [
    { route: routes.listAgents, handle: listAgents(dependencies) },
    { route: routes.listTrackedAgents, handle: listTrackedAgents(dependencies) },
    { route: routes.setTrackedAgent, handle: setTrackedAgent(dependencies) },
    { route: routes.getProfile, handle: getProfile(dependencies) },
    { route: routes.setProfile, handle: setProfile(dependencies) },
    { route: routes.setMonitoringDefaults, handle: setMonitoringDefaults(dependencies) },
    { route: internalRoutes.readMonitoringDefaults, handle: readMonitoringDefaults(dependencies) },
  ];
}

/** `GET /agents` (completions 9.1): ingest's agents, by name, with their profiles. */
function listAgents({ profiles, ingest }: { profiles: ProfileStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const [agents, stored, defaults] = await Promise.all([
      ingest.findAgents(projectId, null),
      profiles.list(projectId),
      profiles.readDefaults(projectId),
    ]);
    const byAgent = new Map(stored.map((profile) => [profile.agentId, renderProfile(profile, defaults)]));
    const body: z.input<typeof agentList> = {
      agents: agents.map(({ id, name, createdAt }) => ({
        _id: id,
        name,
        createdAt,
        kind: "agent",
        agentType: "external",
        monitoringAgentId: id,
        monitoringProfile: byAgent.get(id) ?? null,
      })),
    };
    return { status: 200, body };
  };
}

/** GET /ingest/tracked-agents (completions 9.1). */
function listTrackedAgents(dependencies: { profiles: ProfileStore; ingest: IngestClient }): Handler {
  return (call) => showTrackedAgents(dependencies, requireProject(call));
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
    return showTrackedAgents(dependencies, projectId);
  };
}

/** GET /monitor/profiles/{agentId} (completions 9.2): null without a profile; an unknown name is not registered. */
function getProfile({ profiles, ingest }: { profiles: ProfileStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const agent = await ingest.resolveAgent(projectId, agentNamed(call), { register: false });
    const stored = agent && (await profiles.read(projectId, agent.id));
    const profile = stored && renderProfile(stored, await profiles.readDefaults(projectId));
    return { status: 200, body: { profile } };
  };
}

/**
 * PUT /monitor/profiles/{agentId} (completions 9.2): changes only the members that were sent; an unknown name is registered.
 */
function setProfile(dependencies: { profiles: ProfileStore; ingest: IngestClient; clock: Clock }): Handler {
  const { profiles, ingest, clock } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const { value } = await readJsonObject(call);
    const named = agentNamed(call);
    // A refused request registers no agent.
    const sent = parseBody(value, routes.setProfile.body);
    const agent = await ingest.resolveAgent(projectId, named, { register: true });
    if (agent === null) throw new AppError("not_found", "Agent not found");
    const stored = await profiles.change(projectId, agent.id, {
      id: uuidv7(clock.now()),
      now: new Date(clock.now()),
      compose: (document) => composeProfile(sent, document),
      act: actOf(call.identity),
    });
    return { status: 200, body: { profile: renderProfile(stored, await profiles.readDefaults(projectId)) } };
  };
}

/** PUT /agent-monitoring/settings/monitoring-defaults (completions 9.2): changes only the members that were sent. */
function setMonitoringDefaults({
  profiles,
  clock,
  builtinKeys,
}: {
  profiles: ProfileStore;
  clock: Clock;
  builtinKeys: readonly string[];
}): Handler {
  return async (call) => {
    const sent = parseBody((await readJsonObject(call)).value, routes.setMonitoringDefaults.body);
    const unknown = sent.enabledBuiltinPatterns?.find((key) => !builtinKeys.includes(key));
    if (unknown !== undefined) {
      throw new AppError("bad_request", `enabledBuiltinPatterns must be of: ${builtinKeys.join(", ")}`);
    }
    const monitoringDefaults = await profiles.changeDefaults(requireProject(call), {
      now: new Date(clock.now()),
      compose: (stored) => ({ ...stored, ...sent }),
      act: actOf(call.identity),
    });
    return { status: 200, body: { monitoringDefaults } };
  };
}

/** For the gateway: a project's settings. */
function readMonitoringDefaults({ profiles }: { profiles: ProfileStore }): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readMonitoringDefaults.body.parse(await call.json());
    return { status: 200, body: { monitoringDefaults: await profiles.readDefaults(projectId) } };
  };
}

/**
 * The answer of both routes of tracked agents: an agent is tracked unless its profile is disabled (completions 9.1).
 */
async function showTrackedAgents(
  { profiles, ingest }: { profiles: ProfileStore; ingest: IngestClient },
  projectId: string,
): Promise<Answer> {
  const [agents, stored] = await Promise.all([ingest.countTraffic(projectId), profiles.list(projectId)]);
  const off = new Set(stored.filter(({ document }) => document.enabled === false).map(({ agentId }) => agentId));
  const body: z.input<typeof trackedAgentList> = {
    agents: agents.map(({ id, name, traceCount, lastSeenAt }) => ({
      _id: id,
      name,
      tracked: !off.has(id),
      traceCount,
      lastSeenAt,
    })),
  };
  return { status: 200, body };
}

/** The agent in the path, by id or name. Throws 400 for a text that can be neither. */
function agentNamed(call: Call): string {
  const named = call.params.agentId ?? "";
  if (named.trim() === "" || named.length > limits.traceNameMaxChars || !isStorable(named)) {
    throw new AppError(
      "bad_request",
      `agentId must be an id or a name of at most ${limits.traceNameMaxChars} characters`,
    );
  }
  return named;
}
