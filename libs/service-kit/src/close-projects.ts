import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "./served-route.ts";

/** Answers the gateway's `close...Projects`, identically in every service that stores clients' data. */
export function closeProjects(close: (projectIds: readonly string[]) => Promise<void>): Handler {
  return async (call) => {
    const { projectIds } = internalRoutes.closeIngestProjects.body.parse(await call.json());
    await close(projectIds);
    return { status: 200, body: {} };
  };
}
