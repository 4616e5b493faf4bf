import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { UsageStore } from "../../quota/usage-store.ts";

/** What a project stored on the present UTC day, by PostgreSQL's clock, for the gateway's `GET /agent-monitoring/usage`. */
export function readTraceUsage({ usage, tracesPerDay }: { usage: UsageStore; tracesPerDay: number | null }): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readTraceUsage.body.parse(await call.json());
    const { day, resetsAt, traces } = await usage.readToday([projectId]);
    const used = traces.get(projectId) ?? 0;
    return { status: 200, body: { day, resetsAt: resetsAt.toISOString(), used, limit: tracesPerDay } };
  };
}
