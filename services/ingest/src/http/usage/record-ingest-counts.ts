import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { RequestCountStore } from "../../quota/request-count-store.ts";

/** Stores what a gateway counted of requests with telemetry (decision 44). */
export function recordIngestCounts({ requestCounts }: { requestCounts: RequestCountStore }): Handler {
  return async (call) => {
    const { counts } = internalRoutes.recordIngestCounts.body.parse(await call.json());
    await requestCounts.add(counts);
    return { status: 200, body: {} };
  };
}
