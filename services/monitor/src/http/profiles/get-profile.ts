import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import { renderProfile } from "../../profiles/profile.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { agentNamed } from "./agent-named.ts";

/** GET /monitor/profiles/{agentId} (completions 9.2): null without a profile; an unknown name is not registered. */
export function getProfile({ profiles, ingest }: { profiles: ProfileStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const agent = await ingest.resolveAgent(projectId, agentNamed(call), { register: false });
    const stored = agent && (await profiles.read(projectId, agent.id));
    const profile = stored && renderProfile(stored, await profiles.readDefaults(projectId));
    return { status: 200, body: { profile } };
  };
}
