import type { trackedAgentList } from "@touchstone/contracts";
import type { Answer } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../../ingest-client.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";

/** What both routes of tracked agents answer: an agent is tracked unless its profile is off (completions 9.1). */
export async function showTrackedAgents(
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
