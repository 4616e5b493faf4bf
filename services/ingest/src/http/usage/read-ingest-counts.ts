import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { RequestCountStore } from "../../quota/request-count-store.ts";

/** The counts of a project, for `GET /agent-monitoring/ingest-health`. */
export function readIngestCounts({ requestCounts }: { requestCounts: RequestCountStore }): Handler {
  return async (call) => {
    const { projectId, since } = internalRoutes.readIngestCounts.body.parse(await call.json());
    return { status: 200, body: { counts: await requestCounts.list(projectId, new Date(since)) } };
  };
}
