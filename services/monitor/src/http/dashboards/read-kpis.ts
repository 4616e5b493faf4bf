import { lengthOf, readDashboardWindow } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { composeKpis } from "../../dashboards/compose-kpis.ts";
import type { TrafficReader } from "../../dashboards/traffic-reader.ts";

/** GET /monitor/kpis (completions 9.5): the window ends now, and the one before it where it begins. */
export function readKpis({ traffic, clock }: { traffic: Pick<TrafficReader, "count">; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const [now, length] = [clock.now(), lengthOf(window)];
    const [start, until] = [new Date(now - length), new Date(now)];
    const [counts, before] = await Promise.all([
      traffic.count(projectId, { since: start, until }),
      traffic.count(projectId, { since: new Date(now - 2 * length), until: start }),
    ]);
    return { status: 200, body: composeKpis(window, counts, before) };
  };
}
