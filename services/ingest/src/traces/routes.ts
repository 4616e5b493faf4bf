import { costOf, type FindPrice, isUuid, limits, priceFinder, routes, type TraceOutline } from "@touchstone/contracts";
import { AppError, type Clock, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { AgentStore } from "../agents/agent-store.ts";
import type { CostEstimator } from "../pricing/cost-estimator.ts";
import type { PriceStore } from "../pricing/price-store.ts";
import { billedOutput } from "../pricing/tree-cost.ts";
import type { SpanRecorder } from "../recording/span-recorder.ts";
import type { ScoreStore } from "../scores/score-store.ts";
import type { OutlinedSpan, TraceStore } from "../trace-store/trace-store.ts";
import { deleteTrace, deleteTraces } from "./delete-traces.ts";
import { bucketStarts, histogramRange } from "./histogram-range.ts";
import { listSessionSpans } from "./list-session-spans.ts";
import { listTraces } from "./list-traces.ts";
import { readMoment, readRootFilter } from "./read-root-filter.ts";
import { readTraceScores } from "./read-trace-scores.ts";
import { showDetail } from "./show-trace.ts";
import { submitTrace } from "./submit-trace.ts";

/** Submitting, listing, reading and deleting traces. */
export function traceRoutes(dependencies: {
  recorder: SpanRecorder;
  agents: AgentStore;
  traces: TraceStore;
  scores: ScoreStore;
  costs: CostEstimator;
  prices: PriceStore;
  clock: Clock;
  takes(handle: Handler): Handler;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { takes, reads, onceReady } = dependencies;
  return [
    { route: routes.submitTrace, handle: takes(submitTrace(dependencies)) },
    { route: routes.listTraces, handle: reads(listTraces(dependencies)) },
    { route: routes.getTrace, handle: reads(getTrace(dependencies)) },
    { route: routes.getTraceOutline, handle: reads(getTraceOutline(dependencies)) },
    { route: routes.readTraceHistogram, handle: reads(readTraceHistogram(dependencies)) },
    { route: routes.listSessionSpans, handle: reads(listSessionSpans(dependencies)) },
    { route: routes.deleteTrace, handle: onceReady(deleteTrace(dependencies)) },
    { route: routes.deleteTraces, handle: onceReady(deleteTraces(dependencies)) },
  ];
}

/** `GET /ingest/traces/{traceId}`: one trace in full; another project's trace counts as missing. */
function getTrace({
  traces,
  scores,
  costs,
}: {
  traces: TraceStore;
  scores: ScoreStore;
  costs: CostEstimator;
}): Handler {
  return async (call) => {
    const traceId = call.params.traceId ?? "";
    const projectId = requireProject(call);
    const span = isUuid(traceId) ? await traces.readTrace(projectId, traceId) : null;
    if (span === null) throw new AppError("not_found", "Trace not found");
    const { organizationId } = call.identity;
    const [estimatedCostUSD, shownScores] = await Promise.all([
      costs.estimate({ projectId, organizationId }, span),
      readTraceScores(scores, projectId, span),
    ]);
    return { status: 200, body: Buffer.concat(await showDetail(span, { estimatedCostUSD, scores: shownScores })) };
  };
}

/** `GET /ingest/traces/{traceId}/outline`: the spans of one trace without their texts, for drawing its tree. */
export function getTraceOutline({ traces, prices }: { traces: TraceStore; prices: PriceStore }): Handler {
  return async (call) => {
    const traceId = call.params.traceId ?? "";
    const projectId = requireProject(call);
    // One more than is shown, to detect whether there are more.
    const found = isUuid(traceId) ? await traces.readOutline(projectId, traceId, limits.outlineSpansMax + 1) : null;
    const [asked] = found?.spans ?? [];
    if (found === null || asked === undefined) throw new AppError("not_found", "Trace not found");
    const { organizationId } = call.identity;
    const findPrice = priceFinder(await prices.listChanges({ projectId, organizationId }));
    const spans = found.spans.slice(0, limits.outlineSpansMax).map((span) => {
      const costUSD = ownCost(span, findPrice);
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

/** The cost of the tokens that a span reports itself, at the price of the model that it names. */
function ownCost({ model, borrowsModel, kind, ownTokens }: OutlinedSpan, findPrice: FindPrice): number | null {
  if (model === null || borrowsModel) return null;
  return costOf(findPrice(model), { ...ownTokens, output: billedOutput(kind, ownTokens.output) });
}

/** The period shown for a project without traces. */
const emptyMs = 3_600_000;

/**
 * `GET /ingest/traces/histogram`: the number of root traces that match the filters of the list, and of failed ones,
 * over time.
 */
function readTraceHistogram({ traces, clock }: { traces: TraceStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const filter = readRootFilter(call.query);
    let [fromMs, toMs] = [readMoment(call.query, "from"), readMoment(call.query, "to")];
    if (fromMs === null || toMs === null) {
      const extent = await traces.readRootExtent(projectId);
      toMs ??= Math.max(clock.now(), (extent?.newestMs ?? 0) + 1);
      fromMs ??= Math.min(extent?.oldestMs ?? toMs - emptyMs, toMs);
    }
    const range = histogramRange(fromMs, toMs);
    const { bucketMs } = range;
    const counts =
      filter === null || toMs <= fromMs
        ? []
        : await traces.countRoots({ ...filter, projectId, fromMs, toMs, bucketMs });
    const known = new Map(counts.map((count) => [count.startMs, count]));
    return {
      status: 200,
      body: {
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        bucketMs,
        buckets: bucketStarts(range).map((startMs) => ({
          start: new Date(startMs).toISOString(),
          count: known.get(startMs)?.count ?? 0,
          errors: known.get(startMs)?.errors ?? 0,
        })),
      },
    };
  };
}
