import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { LiveBudget } from "../../judging/live-budget.ts";

export interface ReadLiveUsageDependencies {
  budget: Pick<LiveBudget, "readToday">;
  /** Null: unlimited. */
  liveCallsPerDay: number | null;
}

/** What a project used of the day's live judge calls, for the gateway's `GET /agent-monitoring/usage`. */
export function readLiveUsage({ budget, liveCallsPerDay }: ReadLiveUsageDependencies): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readLiveUsage.body.parse(await call.json());
    return { status: 200, body: { used: await budget.readToday(projectId), limit: liveCallsPerDay } };
  };
}
