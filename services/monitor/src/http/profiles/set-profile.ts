import {
  AppError,
  actOf,
  type Clock,
  type Handler,
  readJsonObject,
  requireProject,
  uuidv7,
} from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import { composeProfile } from "../../profiles/compose-profile.ts";
import { renderProfile } from "../../profiles/profile.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { agentNamed } from "./agent-named.ts";

/** PUT /monitor/profiles/{agentId} (completions 9.2): only what is sent changes; an unknown name is registered. */
export function setProfile(dependencies: { profiles: ProfileStore; ingest: IngestClient; clock: Clock }): Handler {
  const { profiles, ingest, clock } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const named = agentNamed(call);
    // What is refused registers nobody.
    composeProfile(sent, {});
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
