import { internalRoutes, routes } from "@touchstone/contracts";
import type { CloseProjects } from "@touchstone/db";
import {
  AppError,
  type Clock,
  closeProjects,
  type Handler,
  isAppError,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { AgentStore } from "./agents/agent-store.ts";
import { agentRoutes } from "./agents/routes.ts";
import type { AgentExportStore } from "./export/agent-export-store.ts";
import { exportRoutes } from "./export/routes.ts";
import { importTraces } from "./import/import-traces.ts";
import type { ImportWriter } from "./import/import-writer.ts";
import { judgingRoutes } from "./judging/routes.ts";
import type { LiveTail } from "./live/live-tail.ts";
import { liveRoutes } from "./live/routes.ts";
import type { MediaExportStore } from "./media/media-export-store.ts";
import type { MediaStore } from "./media/media-store.ts";
import type { ContentReceiver } from "./media/receive-content.ts";
import { mediaRoutes } from "./media/routes.ts";
import type { SignedAddresses } from "./media/signed-addresses.ts";
import type { DecodeHeavy } from "./otlp/decode-items.ts";
import { otlpRoutes } from "./otlp/routes.ts";
import type { CostEstimator } from "./pricing/cost-estimator.ts";
import type { PriceStore } from "./pricing/price-store.ts";
import { pricingRoutes } from "./pricing/routes.ts";
import type { RequestCountStore } from "./quota/request-count-store.ts";
import { quotaRoutes } from "./quota/routes.ts";
import type { UsageStore } from "./quota/usage-store.ts";
import { reportOutcome } from "./recording/report-outcome.ts";
import type { SpanRecorder } from "./recording/span-recorder.ts";
import type { RetentionStore } from "./retention/retention-store.ts";
import { retentionRoutes } from "./retention/routes.ts";
import type { ReadStoredAmounts } from "./retention/stored-amounts-reader.ts";
import { scoreRoutes } from "./scores/routes.ts";
import type { ScoreStore } from "./scores/score-store.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { spanUpdateRoutes } from "./span-updates/routes.ts";
import type { SessionStore } from "./trace-store/reading/session-store.ts";
import type { SpanExportStore } from "./trace-store/reading/span-export-store.ts";
import type { TraceStore } from "./trace-store/trace-store.ts";
import { traceRoutes } from "./traces/routes.ts";
import type { AgentTokenReader } from "./usage-metrics/agent-token-reader.ts";
import type { MetricsStore } from "./usage-metrics/metrics-store.ts";
import type { PromptUseReader } from "./usage-metrics/prompt-use-reader.ts";
import { usageMetricsRoutes } from "./usage-metrics/routes.ts";

export interface RouteDependencies {
  recorder: SpanRecorder;
  traces: TraceStore;
  agents: AgentStore;
  liveTail: LiveTail;
  sessions: SessionStore;
  scores: ScoreStore;
  media: MediaStore;
  mediaExports: MediaExportStore;
  addresses: SignedAddresses;
  receiver: ContentReceiver;
  prices: PriceStore;
  costs: CostEstimator;
  metricsStore: MetricsStore;
  agentTokens: AgentTokenReader;
  promptUses: PromptUseReader;
  clock: Clock;
  usage: UsageStore;
  requestCounts: RequestCountStore;
  /** Daily quota of root traces; null = unlimited. */
  tracesPerDay: number | null;
  retention: RetentionStore;
  readStoredAmounts: ReadStoredAmounts;
  /** Of the installation; null = unlimited. */
  retentionDays: number | null;
  /** Largest OTLP body, on the wire and inflated. */
  otlpBodyMaxBytes: number;
  /** Leave out traces without any GenAI span in their export. */
  genAiOnly: boolean;
  spanExports: SpanExportStore;
  agentExports: AgentExportStore;
  imports: ImportWriter;
  /** Decodes a project's heavy spans off the event loop. */
  decodeApart: (projectId: string) => DecodeHeavy;
  closing: CloseProjects;
  /** Answers 503 until the store can be used. */
  onceReady(handle: Handler): Handler;
}

/** All routes of ingest. */
export function listRoutes(dependencies: RouteDependencies): ServedRoute[] {
  const { onceReady } = dependencies;
  // Telemetry routes report their outcome; public reads answer an outage in the global envelope.
  const takes = (handle: Handler): Handler => reportOutcome(onceReady(handle));
  const reads = (handle: Handler): Handler => translateReadOutage(onceReady(handle));
  const given = { ...dependencies, takes, reads };
  return [
    ...traceRoutes(given),
    ...spanUpdateRoutes(given),
    ...liveRoutes(given),
    ...sessionRoutes(given),
    ...scoreRoutes(given),
    ...mediaRoutes(given),
    ...usageMetricsRoutes(given),
    ...retentionRoutes(given),
    ...agentRoutes(given),
    ...pricingRoutes(given),
    ...otlpRoutes(given),
    ...exportRoutes(given),
    ...judgingRoutes(given),
    ...quotaRoutes(given),
    { route: routes.importTraces, handle: takes(importTraces(dependencies)) },
    { route: internalRoutes.closeIngestProjects, handle: onceReady(closeProjects(dependencies.closing)) },
  ];
}

/** Public reads answer an outage in the global envelope (interface: Errors; completions 1.5). */
function translateReadOutage(handle: Handler): Handler {
  return async (call) => {
    try {
      return await handle(call);
    } catch (thrown) {
      if (!isAppError(thrown) || thrown.code !== "store_unavailable") throw thrown;
      // A header of a service that is starting sends the read to another replica.
      const { internalHeaders } = thrown;
      throw new AppError("service_unavailable", "Trace storage is unavailable; retry.", {
        cause: thrown,
        internalHeaders,
      });
    }
  };
}
