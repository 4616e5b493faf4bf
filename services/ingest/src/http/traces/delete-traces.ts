import type { Clock, Handler } from "@touchstone/service-kit";
import type { TraceStore } from "../../spans/trace-store.ts";
import { requireProject } from "../require-project.ts";
import { deletionTime } from "./deletion-time.ts";
import { readDeletionFilter } from "./read-deletion-filter.ts";

/** `DELETE /ingest/traces?…`: every trace with a root that matches all filters (decision record 15). */
export function deleteTraces({ traces, clock }: { traces: TraceStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const removal = await traces.removeTraces(projectId, readDeletionFilter(call.query), deletionTime(call, clock));
    return {
      status: 200,
      body: { deletedTraces: removal.traces, deletedSpans: removal.spans, complete: removal.isComplete },
    };
  };
}
