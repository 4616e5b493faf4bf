import { AppError, type Handler, isUuid } from "@touchstone/service-kit";
import type { TraceStore } from "../../spans/trace-store.ts";
import { showDetail } from "../../traces/show-trace.ts";
import { requireProject } from "../require-project.ts";

/** `GET /ingest/traces/{traceId}`: one trace in full; another project's is as good as missing. */
export function getTrace({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const traceId = call.params.traceId ?? "";
    const span = isUuid(traceId) ? await traces.readTrace(requireProject(call.identity), traceId) : null;
    if (span === null) throw new AppError("not_found", "Trace not found");
    return { status: 200, body: await showDetail(span) };
  };
}
