import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { ProfileStore } from "../../profiles/profile-store.ts";

/** The question of the gateway for a project's settings. */
export function readMonitoringDefaults({ profiles }: { profiles: ProfileStore }): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readMonitoringDefaults.body.parse(await call.json());
    return { status: 200, body: { monitoringDefaults: await profiles.readDefaults(projectId) } };
  };
}
