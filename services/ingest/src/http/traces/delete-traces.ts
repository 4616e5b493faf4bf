import { actOf, type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import { recordAuditEvent } from "../../outbox.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";
import { readDeletionFilter } from "../../traces/read-deletion-filter.ts";
import { deletionTime } from "./deletion-time.ts";

/** `DELETE /ingest/traces?…`: every trace with a root that matches all filters (decision 15). */
export function deleteTraces({ traces, clock }: { traces: TraceStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const act = actOf(call.identity);
    const filter = readDeletionFilter(call.query);
    // As it was sent: it passed the check, so each is one text.
    const details = call.query as Record<string, string>;
    const removal = await traces.removeTraces(projectId, filter, deletionTime(call, clock), (transaction) =>
      recordAuditEvent(transaction, act, { action: "traces.deleted", details }),
    );
    return {
      status: 200,
      body: { deletedTraces: removal.traces, deletedSpans: removal.spans, complete: removal.isComplete },
    };
  };
}
