import { listStretches, readDashboardWindow, stretchesOf, type trend } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { noTraffic, ratesOf } from "../../dashboards/traffic-counts.ts";
import type { TrafficReader } from "../../dashboards/traffic-reader.ts";
import { readAgentFilter } from "./read-agent-filter.ts";

/** GET /agent-monitoring/trend (completions 9.5). */
export function readTrend({ traffic, clock }: { traffic: Pick<TrafficReader, "tally">; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { stretch, since } = stretchesOf(window, now);
    const agent = readAgentFilter(call.query.agentId);
    const span = { since, until: new Date(now) };
    const buckets = agent.isUnknown ? [] : await traffic.tally(projectId, stretch, span, agent.id);
    const byStart = new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]));
    const points = listStretches(window, now).map(({ start, label, ts }) => {
      const counts = byStart.get(start) ?? noTraffic;
      const { totalRuns, failingRuns, operationalFailingRuns, scorerFailingRuns, votes } = counts;
      const healthyRuns = totalRuns - failingRuns;
      const runs = { totalRuns, healthyRuns, failingRuns, operationalFailingRuns, scorerFailingRuns };
      return { label, ts, ...runs, votes, ...ratesOf(counts) };
    });
    const body: z.input<typeof trend> = { window, points };
    return { status: 200, body };
  };
}
