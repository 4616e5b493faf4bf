import { AppError, actOf, type Clock, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import { recordAuditEvent } from "../../outbox.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";
import { deletionTime } from "./deletion-time.ts";

/** `DELETE /ingest/traces/{traceId}`: the whole trace, whichever of its spans is named (decision 15). */
export function deleteTrace({ traces, clock }: { traces: TraceStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const traceId = call.params.traceId ?? "";
    const act = actOf(call.identity);
    const removal = isUuid(traceId)
      ? await traces.removeTrace(projectId, traceId, deletionTime(call, clock), (transaction) =>
          recordAuditEvent(transaction, act, { action: "traces.deleted", targetId: traceId }),
        )
      : null;
    if (removal === null) throw new AppError("not_found", "Trace not found");
    return {
      status: 200,
      body: { deletedTraces: removal.traces, deletedSpans: removal.spans, complete: removal.isComplete },
    };
  };
}
