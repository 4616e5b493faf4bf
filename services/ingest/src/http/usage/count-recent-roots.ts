import { internalRoutes } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { UsageStore } from "../../quota/usage-store.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Root traces of projects whose own time is in the last 24 hours, for the operator's overview (completions 12.5). */
export function countRecentRoots({ usage, clock }: { usage: UsageStore; clock: Clock }): Handler {
  return async (call) => {
    const { projectIds } = internalRoutes.countRecentRoots.body.parse(await call.json());
    const roots = await usage.countRootsSince(projectIds, clock.now() - dayMs);
    return { status: 200, body: { projects: [...roots].map(([projectId, count]) => ({ projectId, roots: count })) } };
  };
}
