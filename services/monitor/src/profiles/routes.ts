import { internalRoutes, isStorable, limits, routes } from "@touchstone/contracts";
import {
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
import type { IngestClient } from "../ingest-client.ts";
import { agentRoutes } from "./agent-routes.ts";
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
    ...agentRoutes(dependencies),
    { route: routes.getProfile, handle: getProfile(dependencies) },
    { route: routes.setProfile, handle: setProfile(dependencies) },
    { route: routes.setMonitoringDefaults, handle: setMonitoringDefaults(dependencies) },
    { route: internalRoutes.readMonitoringDefaults, handle: readMonitoringDefaults(dependencies) },
  ];
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
