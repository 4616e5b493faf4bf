import { type agentFigures, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { shareOf } from "../../dashboards/traffic-counts.ts";
import type { TrafficReader } from "../../dashboards/traffic-reader.ts";
import type { IngestClient } from "../../ingest-client.ts";

/** GET /agent-monitoring/agent-figures. What agents cost is ingest's to say. */
export function readAgentFigures({
  traffic,
  ingest,
  clock,
}: {
  traffic: Pick<TrafficReader, "listAgents">;
  ingest: Pick<IngestClient, "findAgents" | "readAgentCosts">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { since } = stretchesOf(window, now);
    const [agents, costs] = await Promise.all([
      traffic.listAgents(projectId, { since, until: new Date(now) }),
      ingest.readAgentCosts({ projectId, organizationId, window }),
    ]);
    const ids = agents.flatMap(({ agentId }) => (agentId === null ? [] : [agentId]));
    const found = ids.length === 0 ? [] : await ingest.findAgents(projectId, ids);
    const names = new Map(found.map(({ id, name }) => [id, name]));
    const body: z.input<typeof agentFigures> = {
      window,
      since: since.toISOString(),
      agents: agents.map((agent) => ({
        ...agent,
        name: names.get(agent.agentId ?? "") ?? null,
        failureRate: shareOf(agent.failingRuns, agent.totalRuns),
        costUSD: costs.get(agent.agentId) ?? null,
      })),
    };
    return { status: 200, body };
  };
}
