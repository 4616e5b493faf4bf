import type { Handler } from "@touchstone/service-kit";
import type { UsageStore } from "../../quota/usage-store.ts";
import { requireProject } from "../require-project.ts";

/** `GET /agent-monitoring/usage`: what the project used on the present UTC day, by PostgreSQL's clock (completions 1.4). */
export function getUsage({ usage, tracesPerDay }: { usage: UsageStore; tracesPerDay: number | null }): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const today = await usage.readToday([projectId]);
    return {
      status: 200,
      body: {
        day: today.day,
        resetsAt: today.resetsAt.toISOString(),
        traces: { used: today.traces.get(projectId) ?? 0, limit: tracesPerDay },
        onlineJudgeCalls: { used: 0, limit: null },
        judgeCalls: { used: null, limit: null },
      },
    };
  };
}
