import { AppError, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { CostEstimator } from "../../pricing/cost-estimator.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";
import { showDetail } from "../../traces/show-trace.ts";

/** `GET /ingest/traces/{traceId}`: one trace in full; another project's is as good as missing. */
export function getTrace({ traces, costs }: { traces: TraceStore; costs: CostEstimator }): Handler {
  return async (call) => {
    const traceId = call.params.traceId ?? "";
    const projectId = requireProject(call);
    const span = isUuid(traceId) ? await traces.readTrace(projectId, traceId) : null;
    if (span === null) throw new AppError("not_found", "Trace not found");
    const { organizationId } = call.identity;
    const cost = await costs.estimate({ projectId, organizationId }, span);
    return { status: 200, body: Buffer.concat(await showDetail(span, cost)) };
  };
}
