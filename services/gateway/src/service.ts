import { readFile } from "node:fs/promises";
import { type Bus, connectBus } from "@touchstone/bus";
import {
  deadlines,
  internalRoutes,
  keyRevoked,
  limits,
  membershipChanged,
  type Route,
  type ServiceName,
} from "@touchstone/contracts";
import {
  type Clock,
  createAnswerBudget,
  createBodyBudget,
  createInternalClient,
  createReplicaSet,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
  uuidv7,
  watchBodyBudget,
  watchShares,
} from "@touchstone/service-kit";
import type { GatewayConfig } from "./config.ts";
import { createKeyCache } from "./credentials/key-cache.ts";
import { readSessionCookie } from "./credentials/presented-session.ts";
import { createSessionCache } from "./credentials/session-cache.ts";
import { sessionUseOf } from "./credentials/session-use.ts";
import { createGrpcListener } from "./grpc/grpc-listener.ts";
import { answerHeadersFor } from "./http/answer-headers.ts";
import { createCallerOrigin } from "./http/caller-origin.ts";
import { createEdge } from "./http/edge.ts";
import { createForward } from "./http/forward.ts";
import { createIdentification } from "./http/identification.ts";
import { createOpenStreams } from "./http/open-streams.ts";
import { createProxy } from "./http/proxy.ts";
import { createRevocations } from "./http/revocations.ts";
import { listAddresses, listOtlpAddresses } from "./http/route-table.ts";
import { createCountKeeper } from "./ingest-health/count-keeper.ts";
import { createIngestCounts } from "./ingest-health/ingest-counts.ts";
import { createIngestWatch } from "./ingest-health/ingest-watch.ts";
import { createRateLimits, type RateLimits } from "./limits/rate-limits.ts";
import { createSpentQuotas } from "./limits/spent-quotas.ts";
import { createGatewayMetrics } from "./metrics/gateway-metrics.ts";
import { createMetricsAccess } from "./metrics/metrics-access.ts";
import { createServiceMetrics } from "./metrics/service-metrics.ts";
import { createAdminAccess, createAdminAudit, createAdminOverview, createAdminSystem } from "./operations/admin.ts";
import { announceKey } from "./operations/announce-key.ts";
import { createJudgeAsker } from "./operations/ask-judge.ts";
import { createExportIndex } from "./operations/export-index.ts";
import { createIngestHealth } from "./operations/ingest-health.ts";
import { createJudgeUsage } from "./operations/judge-usage.ts";
import { createOwnAnswerer } from "./operations/own-routes.ts";
import { createProjectSettings } from "./operations/project-settings.ts";
import { createProjectUsage } from "./operations/project-usage.ts";
import { createVerdictReader } from "./operations/read-verdict.ts";
import { createServiceReadiness } from "./operations/service-readiness.ts";
import { createPages } from "./pages/pages.ts";

export interface GatewayDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Metrics of services in the same process, shown on `/metrics` too. */
  otherMetrics?: readonly Metrics[];
  /** Calls services of the same process without a socket. */
  localCalls?: LocalCalls | undefined;
  /** Resolves when the dashboard's folder is complete, if it is built during startup. */
  dashboardBuilding?: Promise<void> | null;
  /** Receives the line with the default project's key, once auth returns it. Without it the key is not printed. */
  print?: (line: string) => void;
}

/**
 * The gateway is the only public entry point: it checks identity, rate and size, and forwards the bytes to the service
 * that owns the route. It stores nothing; NATS and Redis may be unavailable, and auth for a minute.
 */
export function createGateway(config: GatewayConfig, dependencies: GatewayDependencies): Service {
  const { logger, clock, localCalls } = dependencies;
  const stopping = new AbortController();
  const clientOf = (audience: ServiceName, addresses: readonly string[]) =>
    createInternalClient({ issuer: "gateway", audience, addresses, rootSecret: config.rootSecret, clock, localCalls });
  const { auth, ingest, "eval-runs": evalRuns, monitor, dropin } = config.services;
  const clients = {
    auth: clientOf("auth", auth),
    ingest: clientOf("ingest", ingest),
    "eval-runs": clientOf("eval-runs", evalRuns),
    monitor: clientOf("monitor", monitor),
    dropin: clientOf("dropin", dropin),
  };
  const replicas = {
    auth: createReplicaSet(auth),
    ingest: createReplicaSet(ingest),
    "eval-runs": createReplicaSet(evalRuns),
    monitor: createReplicaSet(monitor),
  };
  const readiness = createServiceReadiness(replicas, { clock, logger });
  // Services in this process show their metrics themselves; others are requested.
  const measuredServices = { ...replicas, dropin: createReplicaSet(dropin) };
  const serviceMetrics = dependencies.otherMetrics === undefined ? createServiceMetrics(measuredServices) : null;
  const metrics = createGatewayMetrics(dependencies.metrics, dependencies.otherMetrics ?? [], serviceMetrics);
  const keys = createKeyCache({
    clock,
    async lookUp(apiKey) {
      const options = { requestId: uuidv7(clock.now()), deadlineMs: deadlines.keyLookupMs };
      return (await clients.auth.call(internalRoutes.resolveKey, { apiKey }, options)).key;
    },
  });
  const isSecure = config.publicUrl?.startsWith("https:") ?? false;
  const sessions = createSessionCache({
    clock,
    async lookUp(cookie) {
      const options = { requestId: uuidv7(clock.now()), deadlineMs: deadlines.keyLookupMs };
      return (await clients.auth.call(internalRoutes.resolveSession, { cookie }, options)).session;
    },
  });
  const streams = createOpenStreams({ recheckMs: config.streamRecheckMs });
  const spentQuotas = createSpentQuotas();
  const counts = createIngestCounts({ clock });
  const keeper = createCountKeeper({ counts, ingest: clients.ingest, clock, logger });
  const ingestWatch = createIngestWatch({ counts, keys });
  const revocations = createRevocations({ keys, sessions, streams, clients, logger });
  const proxy = createProxy({
    clients,
    requestTimeoutMs: config.requestTimeoutMs,
    streamIdleMs: config.streamIdleMs,
    spentQuotas,
    ingestWatch,
    revocations,
    logger,
  });
  const bodies = createBodyBudget({ bytesMax: limits.gatewayBodiesMaxBytes });
  const answers = createAnswerBudget({ bytesMax: limits.answersMaxBytes });
  const measured = { service: "gateway", metrics: dependencies.metrics } as const;
  watchBodyBudget({ bodies, answers }, measured);
  watchShares({ streams: streams.share, ...bodies.shares }, measured);
  const bodyMaxBytes = ({ body }: Route) => (body?.kind === "otlp" ? config.otlpBodyMaxBytes : (body?.maxBytes ?? 0));
  let bus: Bus | null = null;
  let rateLimits: RateLimits | null = null;
  const askJudge = createJudgeAsker(() => bus);
  const judgeUsage = createJudgeUsage(askJudge);
  const listeners: { stop(): Promise<void> }[] = [];
  let isStopping = false;

  async function checkReadiness(): Promise<Readiness> {
    const { ready, checks } = await readiness.check();
    return isStopping ? { ready: false, checks: { ...checks, process: "stopping" } } : { ready, checks };
  }

  return {
    name: "gateway",
    async start() {
      const openApi = await readFile(config.openApiFile, "utf8").catch((err) => {
        logger.error({ err }, "the OpenAPI document is missing");
        return null;
      });
      rateLimits = createRateLimits({ settings: config.rateLimits, redis: config.redis, logger });
      const shared = {
        callerOrigin: createCallerOrigin(config),
        rateLimits,
        keys,
        identify: createIdentification({ keys, sessions: config.hasAccounts ? sessions : null, isSecure }),
        handsOutKey: !config.hasAccounts,
        mightUseSession: (route: Route) => config.hasAccounts && sessionUseOf(route) !== "none",
        sessionChanged({ headers }: { headers: { cookie?: string | undefined } }) {
          const cookie = readSessionCookie(headers.cookie, isSecure);
          if (cookie !== null) sessions.forget(cookie);
        },
        spentQuotas,
        ingestWatch,
        answerOwn: createOwnAnswerer({
          checkReadiness,
          metrics,
          refuseMetrics: createMetricsAccess({ token: config.metricsToken, isMultiTenant: config.isMultiTenant }),
          openApi,
          readExportIndex: createExportIndex(clients),
          requireAdmin: createAdminAccess(config.adminToken),
          readAdminOverview: createAdminOverview({ clients, judgeUsage }),
          readAdminSystem: createAdminSystem({ ingest: clients.ingest, metrics }),
          readAdminAudit: createAdminAudit(clients),
          readProjectSettings: createProjectSettings({
            clients,
            platformModelDefault: config.defaultJudgeModel,
          }),
          readVerdict: createVerdictReader(askJudge),
          readIngestHealth: createIngestHealth({ ingest: clients.ingest, keeper, clock }),
          readProjectUsage: createProjectUsage({ clients, judgeUsage, isMultiTenant: config.isMultiTenant }),
        }),
        forward: createForward({
          proxy,
          streams,
          bodyMaxBytes,
          publicUrl: config.publicUrl,
          bodies,
          answers,
          streamIdleMs: config.streamIdleMs,
        }),
        bodyMaxBytes,
        answerHeaders: answerHeadersFor(config),
        metrics,
        logger,
        trustedProxies: config.trustedProxies,
        requestTimeoutMs: config.requestTimeoutMs,
        headersTimeoutMs: config.headersTimeoutMs,
        connectionsMax: config.connectionsMax,
        drain: config.drain,
      };
      const { host } = config.listen;
      const pages =
        config.dashboardFolder === null
          ? null
          : createPages({ folder: config.dashboardFolder, building: dependencies.dashboardBuilding ?? null, logger });
      const edge = createEdge({ ...shared, pages, addresses: listAddresses(config), portSetting: "PORT" });
      listeners.push(edge);
      const address = await edge.listen(config.listen);
      if (config.otlpHttpPort !== null) {
        const addresses = listOtlpAddresses();
        const otlp = createEdge({ ...shared, pages: null, addresses, portSetting: "SERVICE_OTLP_HTTP_PORT" });
        listeners.push(otlp);
        logger.info({ address: await otlp.listen({ host, port: config.otlpHttpPort }) }, "taking OTLP/HTTP");
      }
      if (config.otlpGrpcPort !== null) {
        const grpc = createGrpcListener({ ...shared, proxy, bodies, messageMaxBytes: config.otlpBodyMaxBytes });
        listeners.push(grpc);
        logger.info({ port: await grpc.listen({ host, port: config.otlpGrpcPort }) }, "taking OTLP/gRPC");
      }
      keeper.start();
      const password = config.nats.password?.reveal();
      bus = connectBus({ ...config.nats, password, service: "gateway", clock, logger });
      // Best effort: a missed revocation is noticed when the cached key is 5 s old.
      void bus.listen(keyRevoked, ({ projectId }) => revocations.forget([projectId]));
      // The same for sessions.
      void bus.listen(membershipChanged, ({ userIds }) => sessions.forgetUsers(userIds));
      if (dependencies.print) {
        void announceKey({
          auth: clients.auth,
          printsWholeKey: config.printsWholeKey,
          print: dependencies.print,
          signal: stopping.signal,
        });
      }
      return { address };
    },
    async stop() {
      stopping.abort();
      isStopping = true;
      streams.drain();
      await Promise.all(listeners.map((listener) => listener.stop()));
      await keeper.stop();
      await bus?.drain();
      rateLimits?.close();
      await Promise.all([
        readiness.close(),
        serviceMetrics?.close(),
        ...Object.values(clients).map((client) => client.close()),
      ]);
    },
    readiness: checkReadiness,
  };
}
