import type { agentList } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../../ingest-client.ts";
import { renderProfile } from "../../profiles/profile.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";

/** `GET /agents` (completions 9.1): ingest's agents, by name, with the profiles that are here. */
export function listAgents({ profiles, ingest }: { profiles: ProfileStore; ingest: IngestClient }): Handler {
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
