import { internalRoutes } from "@touchstone/contracts";
import type { Clock, Handler, ServedRoute } from "@touchstone/service-kit";
import type { RequestCountStore } from "./request-count-store.ts";
import type { UsageStore } from "./usage-store.ts";

/** Trace and request counts of projects, for the gateway. */
export function quotaRoutes(dependencies: {
  usage: UsageStore;
  requestCounts: RequestCountStore;
  /** Daily quota of root traces; null = unlimited. */
  tracesPerDay: number | null;
  clock: Clock;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { onceReady } = dependencies;
  return [
    { route: internalRoutes.readTraceUsage, handle: onceReady(readTraceUsage(dependencies)) },
    { route: internalRoutes.countRecentRoots, handle: onceReady(countRecentRoots(dependencies)) },
    { route: internalRoutes.recordIngestCounts, handle: onceReady(recordIngestCounts(dependencies)) },
    { route: internalRoutes.readIngestCounts, handle: onceReady(readIngestCounts(dependencies)) },
  ];
}

/**
 * The traces of a project on the current UTC day, by PostgreSQL's clock, for the gateway's `GET
 * /agent-monitoring/usage`.
 */
function readTraceUsage({ usage, tracesPerDay }: { usage: UsageStore; tracesPerDay: number | null }): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readTraceUsage.body.parse(await call.json());
    const { day, resetsAt, traces } = await usage.readToday([projectId]);
    const used = traces.get(projectId) ?? 0;
    return { status: 200, body: { day, resetsAt: resetsAt.toISOString(), used, limit: tracesPerDay } };
  };
}

const dayMs = 24 * 60 * 60 * 1000;

/** Root traces of projects whose own time is in the last 24 hours, for the operator's overview (completions 12.5). */
function countRecentRoots({ usage, clock }: { usage: UsageStore; clock: Clock }): Handler {
  return async (call) => {
    const { projectIds } = internalRoutes.countRecentRoots.body.parse(await call.json());
    const roots = await usage.countRootsSince(projectIds, clock.now() - dayMs);
    return { status: 200, body: { projects: [...roots].map(([projectId, count]) => ({ projectId, roots: count })) } };
  };
}

/** Stores a gateway's counts of telemetry requests (decision 44). */
function recordIngestCounts({ requestCounts }: { requestCounts: RequestCountStore }): Handler {
  return async (call) => {
    const { counts } = internalRoutes.recordIngestCounts.body.parse(await call.json());
    await requestCounts.add(counts);
    return { status: 200, body: {} };
  };
}

/** The counts of a project, for `GET /agent-monitoring/ingest-health`. */
function readIngestCounts({ requestCounts }: { requestCounts: RequestCountStore }): Handler {
  return async (call) => {
    const { projectId, since } = internalRoutes.readIngestCounts.body.parse(await call.json());
    return { status: 200, body: { counts: await requestCounts.list(projectId, new Date(since)) } };
  };
}
