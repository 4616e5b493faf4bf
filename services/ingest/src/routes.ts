import { internalRoutes, type Route, routes } from "@touchstone/contracts";
import type { CloseProjects } from "@touchstone/db";
import { type Clock, closeProjects, type Handler, type ServedRoute } from "@touchstone/service-kit";
import type { AgentStore } from "./agents/agent-store.ts";
import type { AgentExportStore } from "./export/agent-export-store.ts";
import type { SpanExportStore } from "./export/span-export-store.ts";
import { createAgent } from "./http/agents/create-agent.ts";
import { findAgents } from "./http/agents/find-agents.ts";
import { getAgent } from "./http/agents/get-agent.ts";
import { resolveAgent } from "./http/agents/resolve-agent.ts";
import { readCostTrend } from "./http/dashboards/read-cost-trend.ts";
import { readMetrics } from "./http/dashboards/read-metrics.ts";
import { countExported } from "./http/export/count-exported.ts";
import { exportAgents } from "./http/export/export-agents.ts";
import { exportTraces } from "./http/export/export-traces.ts";
import { readTraceForJudging } from "./http/judging/read-trace-for-judging.ts";
import { readTraceForScripts } from "./http/judging/read-trace-for-scripts.ts";
import { readTurns } from "./http/judging/read-turns.ts";
import { getRetention } from "./http/monitoring/get-retention.ts";
import { setRetention } from "./http/monitoring/set-retention.ts";
import { receiveLogs } from "./http/otlp/receive-logs.ts";
import { receiveMetrics } from "./http/otlp/receive-metrics.ts";
import { receiveTracesAtBase } from "./http/otlp/receive-traces-at-base.ts";
import { listUnpricedModels } from "./http/pricing/list-unpriced-models.ts";
import { readAgentCosts } from "./http/pricing/read-agent-costs.ts";
import { readModelCosts } from "./http/pricing/read-model-costs.ts";
import { readSide } from "./http/read-side.ts";
import { deleteTrace } from "./http/traces/delete-trace.ts";
import { deleteTraces } from "./http/traces/delete-traces.ts";
import { getTrace } from "./http/traces/get-trace.ts";
import { getTraceOutline } from "./http/traces/get-trace-outline.ts";
import { readTraceHistogram } from "./http/traces/read-trace-histogram.ts";
import { streamTraces } from "./http/traces/stream-traces.ts";
import { countRecentRoots } from "./http/usage/count-recent-roots.ts";
import { readIngestCounts } from "./http/usage/read-ingest-counts.ts";
import { readTraceUsage } from "./http/usage/read-trace-usage.ts";
import { recordIngestCounts } from "./http/usage/record-ingest-counts.ts";
import { importTraces } from "./import/import-traces.ts";
import type { ImportWriter } from "./import/import-writer.ts";
import type { LiveTail } from "./live/live-tail.ts";
import type { DecodeHeavy } from "./otlp/decode-items.ts";
import { createLargeTurns } from "./otlp/large-turns.ts";
import { receiveTraces } from "./otlp/receive-traces.ts";
import type { CostEstimator } from "./pricing/cost-estimator.ts";
import type { PriceStore } from "./pricing/price-store.ts";
import type { RequestCountStore } from "./quota/request-count-store.ts";
import type { UsageStore } from "./quota/usage-store.ts";
import { reportOutcome } from "./recording/report-outcome.ts";
import type { SpanRecorder } from "./recording/span-recorder.ts";
import type { RetentionStore } from "./retention/retention-store.ts";
import { listSessions } from "./sessions/list-sessions.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import type { TraceStore } from "./trace-store/trace-store.ts";
import { listSessionSpans } from "./traces/list-session-spans.ts";
import { listTraces } from "./traces/list-traces.ts";
import { submitTrace } from "./traces/submit-trace.ts";
import type { AgentTokenReader } from "./usage-metrics/agent-token-reader.ts";
import type { FigureStore } from "./usage-metrics/figure-store.ts";

export interface RouteDependencies {
  recorder: SpanRecorder;
  traces: TraceStore;
  agents: AgentStore;
  liveTail: LiveTail;
  sessions: SessionStore;
  prices: PriceStore;
  costs: CostEstimator;
  figures: FigureStore;
  agentTokens: AgentTokenReader;
  clock: Clock;
  usage: UsageStore;
  requestCounts: RequestCountStore;
  /** Daily quota of root traces; null = unlimited. */
  tracesPerDay: number | null;
  retention: RetentionStore;
  /** Of the installation; null = for ever. */
  retentionDays: number | null;
  /** Largest OTLP body, on the wire and inflated. */
  otlpBodyMaxBytes: number;
  /** Leave out traces without any GenAI span in their export. */
  genAiOnly: boolean;
  spanExports: SpanExportStore;
  agentExports: AgentExportStore;
  imports: ImportWriter;
  /** Decodes the heavy spans of a project away from the event loop. */
  decodeApart: (projectId: string) => DecodeHeavy;
  closing: CloseProjects;
  /** Answers 503 until the store can be used. */
  onceReady(handle: Handler): Handler;
}

/** Everything ingest serves. */
export function listRoutes(dependencies: RouteDependencies): ServedRoute[] {
  const { otlpBodyMaxBytes, onceReady } = dependencies;
  const otlp = { ...dependencies, turns: createLargeTurns() };
  const sized = <R extends Route>(route: R): Route =>
    route.body === undefined ? route : { ...route, body: { ...route.body, maxBytes: otlpBodyMaxBytes } };
  const takes = (handle: Handler): Handler => reportOutcome(onceReady(handle));
  const reads = (handle: Handler): Handler => readSide(onceReady(handle));
  return [
    { route: routes.submitTrace, handle: takes(submitTrace(dependencies)) },
    { route: routes.listTraces, handle: reads(listTraces(dependencies)) },
    { route: routes.readTraceHistogram, handle: reads(readTraceHistogram(dependencies)) },
    { route: routes.streamTraces, handle: reads(streamTraces(dependencies)) },
    { route: routes.getTrace, handle: reads(getTrace(dependencies)) },
    { route: routes.getTraceOutline, handle: reads(getTraceOutline(dependencies)) },
    { route: routes.listSessionSpans, handle: reads(listSessionSpans(dependencies)) },
    { route: routes.listSessions, handle: reads(listSessions(dependencies)) },
    { route: routes.readMetrics, handle: reads(readMetrics(dependencies)) },
    { route: routes.readCostTrend, handle: reads(readCostTrend(dependencies)) },
    { route: routes.deleteTrace, handle: onceReady(deleteTrace(dependencies)) },
    { route: routes.deleteTraces, handle: onceReady(deleteTraces(dependencies)) },
    { route: routes.getRetention, handle: reads(getRetention(dependencies)) },
    { route: routes.setRetention, handle: onceReady(setRetention(dependencies)) },
    { route: routes.createAgent, handle: onceReady(createAgent(dependencies)) },
    { route: routes.getAgent, handle: reads(getAgent(dependencies)) },
    { route: routes.listUnpricedModels, handle: reads(listUnpricedModels(dependencies)) },
    { route: sized(routes.receiveTraces), handle: takes(receiveTraces(otlp)) },
    { route: sized(routes.receiveTracesAtBase), handle: takes(receiveTracesAtBase(otlp)) },
    { route: sized(routes.receiveLogs), handle: takes(receiveLogs(otlp)) },
    { route: sized(routes.receiveMetrics), handle: receiveMetrics(otlp) },
    { route: routes.exportTraces, handle: reads(exportTraces(dependencies)) },
    { route: routes.exportAgents, handle: reads(exportAgents(dependencies)) },
    { route: routes.importTraces, handle: takes(importTraces(dependencies)) },
    { route: internalRoutes.readTraceForJudging, handle: onceReady(readTraceForJudging(dependencies)) },
    { route: internalRoutes.readTraceForScripts, handle: onceReady(readTraceForScripts(dependencies)) },
    { route: internalRoutes.findAgents, handle: onceReady(findAgents(dependencies)) },
    { route: internalRoutes.readAgentCosts, handle: onceReady(readAgentCosts(dependencies)) },
    { route: internalRoutes.readModelCosts, handle: onceReady(readModelCosts(dependencies)) },
    { route: internalRoutes.resolveAgent, handle: onceReady(resolveAgent(dependencies)) },
    { route: internalRoutes.readTurns, handle: onceReady(readTurns(dependencies)) },
    { route: internalRoutes.countIngestExport, handle: onceReady(countExported(dependencies)) },
    { route: internalRoutes.countRecentRoots, handle: onceReady(countRecentRoots(dependencies)) },
    { route: internalRoutes.closeIngestProjects, handle: onceReady(closeProjects(dependencies.closing)) },
    { route: internalRoutes.readTraceUsage, handle: onceReady(readTraceUsage(dependencies)) },
    { route: internalRoutes.recordIngestCounts, handle: onceReady(recordIngestCounts(dependencies)) },
    { route: internalRoutes.readIngestCounts, handle: onceReady(readIngestCounts(dependencies)) },
  ];
}
