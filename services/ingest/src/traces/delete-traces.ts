import { isUuid } from "@touchstone/contracts";
import { AppError, actOf, type Call, type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { readDeletionFilter } from "./read-deletion-filter.ts";

/** `DELETE /ingest/traces/{traceId}`: deletes the whole trace of any of its spans (decision 15). */
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

/** `DELETE /ingest/traces?…`: deletes every trace with a root that matches all filters (decision 15). */
export function deleteTraces({ traces, clock }: { traces: TraceStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const act = actOf(call.identity);
    const filter = readDeletionFilter(call.query);
    // As sent: it passed validation, so each value is one text.
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

/** How long a deletion works before it reports its progress: well within the gateway's deadline. */
const workMs = 20_000;

/** True while a deletion may begin another transaction: until its time is up or its caller disconnects. */
function deletionTime({ signal }: Pick<Call, "signal">, clock: Clock): () => boolean {
  const startedMs = clock.now();
  return () => !signal.aborted && clock.now() - startedMs < workMs;
}
