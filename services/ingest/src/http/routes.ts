import { internalRoutes, type Route, routes } from "@touchstone/contracts";
import type { Clock, Handler, ServedRoute } from "@touchstone/service-kit";
import type { AgentStore } from "../agents/agent-store.ts";
import type { AgentExportStore } from "../export/agent-export-store.ts";
import type { SpanExportStore } from "../export/span-export-store.ts";
import type { ImportWriter } from "../import/import-writer.ts";
import type { LiveTail } from "../live/live-tail.ts";
import type { CostEstimator } from "../pricing/cost-estimator.ts";
import type { PriceStore } from "../pricing/price-store.ts";
import type { UsageStore } from "../quota/usage-store.ts";
import type { RetentionStore } from "../retention/retention-store.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { SpanRecorder } from "../spans/span-recorder.ts";
import type { TraceStore } from "../spans/trace-store.ts";
import { createAgent } from "./agents/create-agent.ts";
import { getAgent } from "./agents/get-agent.ts";
import { listAgents } from "./agents/list-agents.ts";
import { countExported } from "./export/count-exported.ts";
import { exportAgents } from "./export/export-agents.ts";
import { exportTraces } from "./export/export-traces.ts";
import { importTraces } from "./import/import-traces.ts";
import { getRetention } from "./monitoring/get-retention.ts";
import { getUsage } from "./monitoring/get-usage.ts";
import { setRetention } from "./monitoring/set-retention.ts";
import { createInflightBudget } from "./otlp/inflight-budget.ts";
import { receiveLogs } from "./otlp/receive-logs.ts";
import { receiveMetrics } from "./otlp/receive-metrics.ts";
import { receiveTraces } from "./otlp/receive-traces.ts";
import { receiveTracesAtBase } from "./otlp/receive-traces-at-base.ts";
import { createModel } from "./pricing/create-model.ts";
import { deleteModel } from "./pricing/delete-model.ts";
import { listModels } from "./pricing/list-models.ts";
import { listUnpricedModels } from "./pricing/list-unpriced-models.ts";
import { updateModel } from "./pricing/update-model.ts";
import { readSide } from "./read-side.ts";
import { listSessionSpans } from "./sessions/list-session-spans.ts";
import { listSessions } from "./sessions/list-sessions.ts";
import { deleteTrace } from "./traces/delete-trace.ts";
import { deleteTraces } from "./traces/delete-traces.ts";
import { getTrace } from "./traces/get-trace.ts";
import { listTraces } from "./traces/list-traces.ts";
import { streamTraces } from "./traces/stream-traces.ts";
import { submitTrace } from "./traces/submit-trace.ts";

export interface RouteDependencies {
  recorder: SpanRecorder;
  traces: TraceStore;
  agents: AgentStore;
  liveTail: LiveTail;
  sessions: SessionStore;
  prices: PriceStore;
  costs: CostEstimator;
  clock: Clock;
  usage: UsageStore;
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
  /** Answers 503 until the store can be used. */
  onceReady(handle: Handler): Handler;
}

/** OTLP bodies in hand, all together (otlp 1, Content-Encoding). At least one of any size must fit, in both forms. */
const inflightMaxBytes = 256 * 1024 * 1024;
/** Spans and log records decoded and not committed yet, all together; each holds one to two kilobytes. */
const inflightMaxRows = 65_536;

/** Everything ingest serves. */
export function listRoutes(dependencies: RouteDependencies): ServedRoute[] {
  const { otlpBodyMaxBytes, onceReady } = dependencies;
  const budget = createInflightBudget({
    bytesMax: Math.max(inflightMaxBytes, 2 * otlpBodyMaxBytes),
    rowsMax: inflightMaxRows,
  });
  const otlp = { ...dependencies, budget };
  const sized = <R extends Route>(route: R): Route =>
    route.body === undefined ? route : { ...route, body: { ...route.body, maxBytes: otlpBodyMaxBytes } };
  const reads = (handle: Handler): Handler => readSide(onceReady(handle));
  return [
    { route: routes.submitTrace, handle: onceReady(submitTrace(dependencies)) },
    { route: routes.listTraces, handle: reads(listTraces(dependencies)) },
    { route: routes.streamTraces, handle: reads(streamTraces(dependencies)) },
    { route: routes.getTrace, handle: reads(getTrace(dependencies)) },
    { route: routes.listSessionSpans, handle: reads(listSessionSpans(dependencies)) },
    { route: routes.listSessions, handle: reads(listSessions(dependencies)) },
    { route: routes.deleteTrace, handle: onceReady(deleteTrace(dependencies)) },
    { route: routes.deleteTraces, handle: onceReady(deleteTraces(dependencies)) },
    { route: routes.getUsage, handle: reads(getUsage(dependencies)) },
    { route: routes.getRetention, handle: reads(getRetention(dependencies)) },
    { route: routes.setRetention, handle: onceReady(setRetention(dependencies)) },
    { route: routes.listAgents, handle: reads(listAgents(dependencies)) },
    { route: routes.createAgent, handle: onceReady(createAgent(dependencies)) },
    { route: routes.getAgent, handle: reads(getAgent(dependencies)) },
    { route: routes.listModels, handle: reads(listModels(dependencies)) },
    { route: routes.listUnpricedModels, handle: reads(listUnpricedModels(dependencies)) },
    { route: routes.createModel, handle: onceReady(createModel(dependencies)) },
    { route: routes.updateModel, handle: onceReady(updateModel(dependencies)) },
    { route: routes.deleteModel, handle: onceReady(deleteModel(dependencies)) },
    { route: sized(routes.receiveTraces), handle: onceReady(receiveTraces(otlp)) },
    { route: sized(routes.receiveTracesAtBase), handle: onceReady(receiveTracesAtBase(otlp)) },
    { route: sized(routes.receiveLogs), handle: onceReady(receiveLogs(otlp)) },
    { route: sized(routes.receiveMetrics), handle: receiveMetrics(otlp) },
    { route: routes.exportTraces, handle: reads(exportTraces(dependencies)) },
    { route: routes.exportAgents, handle: reads(exportAgents(dependencies)) },
    { route: routes.importTraces, handle: onceReady(importTraces(dependencies)) },
    { route: internalRoutes.countIngestExport, handle: onceReady(countExported(dependencies)) },
  ];
}
