import { listStretches, type performance, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { shareOf } from "../../dashboards/traffic-counts.ts";
import type { TrafficReader } from "../../dashboards/traffic-reader.ts";

const nothing = { totalRuns: 0, errors: 0, latencyP50: null, latencyP95: null };

/** GET /agent-monitoring/performance (completions 9.5). */
export function readPerformance({
  traffic,
  clock,
}: {
  traffic: Pick<TrafficReader, "tallyPerformance">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { stretch, since } = stretchesOf(window, now);
    const buckets = await traffic.tallyPerformance(projectId, stretch, { since, until: new Date(now) });
    const byStart = new Map(buckets.map(({ start, ...bucket }) => [start.getTime(), bucket]));
    const points = listStretches(window, now).map(({ start, label, ts }) => {
      const { totalRuns, errors, latencyP50, latencyP95 } = byStart.get(start) ?? nothing;
      return { label, ts, totalRuns, errors, errorRate: shareOf(errors, totalRuns), latencyP50, latencyP95 };
    });
    const body: z.input<typeof performance> = { window, points };
    return { status: 200, body };
  };
}
