import { lengthOf, readDashboardWindow, type topFailing } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { readAgentFilter } from "../http/dashboards/read-agent-filter.ts";
import type { IngestClient } from "../ingest-client.ts";
import { shareOf } from "./traffic-counts.ts";
import type { TrafficReader } from "./traffic-reader.ts";

/** GET /agent-monitoring/top-failing (completions 9.5). */
export function readTopFailing({
  traffic,
  ingest,
  clock,
}: {
  traffic: Pick<TrafficReader, "listFailingAgents" | "listFrequentFindings">;
  ingest: Pick<IngestClient, "findAgents">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const span = { since: new Date(now - lengthOf(window)), until: new Date(now) };
    const agent = readAgentFilter(call.query.agentId);
    const [agents, findings] = agent.isUnknown
      ? [[], []]
      : await Promise.all([
          traffic.listFailingAgents(projectId, span, agent.id),
          traffic.listFrequentFindings(projectId, span, agent.id),
        ]);
    const ids = agents.flatMap(({ agentId }) => (agentId === null ? [] : [agentId]));
    const found = ids.length === 0 ? [] : await ingest.findAgents(projectId, ids);
    const names = new Map(found.map(({ id, name }) => [id, name]));
    const body: z.input<typeof topFailing> = {
      window,
      agents: agents.map((agent) => ({
        ...agent,
        name: names.get(agent.agentId ?? "") ?? null,
        failureRate: shareOf(agent.failingRuns, agent.totalRuns),
      })),
      patterns: findings.map((finding) => ({ ...finding, lastSeenAt: finding.lastSeenAt.toISOString() })),
    };
    return { status: 200, body };
  };
}
