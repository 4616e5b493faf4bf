import { bodyOf, type ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";

/** Deletes a whole trace. The server stops at a large one after some time, and the next call continues. */
export async function deleteTrace(api: ProjectApi, traceId: string): Promise<void> {
  let isGone = false;
  while (!isGone) isGone = await deletePart(api, traceId);
}

/** True when nothing of the trace is left. */
async function deletePart(api: ProjectApi, traceId: string): Promise<boolean> {
  try {
    const params = { path: { traceId } };
    const { complete } = await bodyOf(api.DELETE("/api/v1/ingest/traces/{traceId}", { params }));
    return complete;
  } catch (error) {
    // It is gone already. A deletion that failed halfway can thus be repeated.
    if (error instanceof ApiProblem && error.status === 404) return true;
    throw error;
  }
}
