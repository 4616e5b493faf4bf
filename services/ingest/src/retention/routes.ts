import { internalRoutes, routes } from "@touchstone/contracts";
import { type Answer, actOf, type Handler, parseBody, requireProject, type ServedRoute } from "@touchstone/service-kit";
import { daysInForce, type RetentionStore } from "./retention-store.ts";
import type { ReadStoredAmounts } from "./stored-amounts-reader.ts";

/** The retention setting of a project, and what the installation stores. */
export function retentionRoutes(dependencies: {
  retention: RetentionStore;
  readStoredAmounts: ReadStoredAmounts;
  /** Of the installation; null = unlimited. */
  retentionDays: number | null;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads, onceReady, readStoredAmounts } = dependencies;
  return [
    { route: routes.getRetention, handle: reads(getRetention(dependencies)) },
    { route: routes.setRetention, handle: onceReady(setRetention(dependencies)) },
    {
      route: internalRoutes.readStoredAmounts,
      handle: onceReady(async () => ({ status: 200, body: await readStoredAmounts() })),
    },
  ];
}

/** `GET /agent-monitoring/settings/retention` (completions 9.8). */
function getRetention(dependencies: { retention: RetentionStore; retentionDays: number | null }): Handler {
  const { retention, retentionDays } = dependencies;
  return async (call) => showRetention(await retention.read(requireProject(call)), retentionDays);
}

/** `PUT /agent-monitoring/settings/retention`: takes effect with the next sweep (completions 9.8). */
function setRetention(dependencies: { retention: RetentionStore; retentionDays: number | null }): Handler {
  const { retention, retentionDays } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const { retentionDays: asked } = parseBody(await call.json(), routes.setRetention.body);
    const own = asked === null ? null : Math.max(0, asked);
    await retention.write(projectId, own, actOf(call.identity));
    return showRetention(own, retentionDays);
  };
}

/** The response of both routes. */
function showRetention(own: number | null, ofInstallation: number | null): Answer {
  return {
    status: 200,
    body: { retentionDays: own, effectiveRetentionDays: daysInForce(own, ofInstallation) },
  };
}
