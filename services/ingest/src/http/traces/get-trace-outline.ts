import { costOf, limits, priceFinder, type TraceOutline } from "@touchstone/contracts";
import { AppError, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { PriceStore } from "../../pricing/price-store.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";

/** `GET /ingest/traces/{traceId}/outline`: the spans of one trace without their texts, for drawing its tree. */
export function getTraceOutline({ traces, prices }: { traces: TraceStore; prices: PriceStore }): Handler {
  return async (call) => {
    const traceId = call.params.traceId ?? "";
    const projectId = requireProject(call);
    // One more than is shown tells whether there are more.
    const found = isUuid(traceId) ? await traces.readOutline(projectId, traceId, limits.outlineSpansMax + 1) : null;
    const [asked] = found?.spans ?? [];
    if (found === null || asked === undefined) throw new AppError("not_found", "Trace not found");
    const { organizationId } = call.identity;
    const findPrice = priceFinder(await prices.listChanges({ projectId, organizationId }));
    const spans = found.spans.slice(0, limits.outlineSpansMax).map((span) => {
      const costUSD = span.model === null ? null : costOf(findPrice(span.model), span.ownTokens);
      return {
        _id: span.id,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        spanKind: span.kind as TraceOutline["spans"][number]["spanKind"],
        offsetMs: Math.round((span.atMs - asked.atMs) * 1000) / 1000,
        latencyMs: span.latencyMs,
        hasError: span.hasError,
        ...(span.model !== null && { model: span.model }),
        ...(span.tokens.input !== null && { inputTokens: span.tokens.input }),
        ...(span.tokens.output !== null && { outputTokens: span.tokens.output }),
        ...(costUSD !== null && { costUSD }),
        ...(span.rating !== null && { rating: span.rating }),
      };
    });
    const outline: TraceOutline = {
      spanCount: spans.length,
      truncated: found.isDeeper || found.spans.length > spans.length,
      spans,
    };
    return { status: 200, body: outline };
  };
}
