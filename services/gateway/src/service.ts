import { readFile } from "node:fs/promises";
import { type Bus, connectBus } from "@touchstone/bus";
import { keyRevoked, limits, membershipChanged, type Route } from "@touchstone/contracts";
import {
  type BodyBudget,
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
  watchBodyBudget,
  watchShares,
} from "@touchstone/service-kit";
import type { GatewayConfig } from "./config.ts";
import { type CredentialCaches, createCredentialCaches } from "./credentials/credential-caches.ts";
import type { KeyCache } from "./credentials/key-cache.ts";
import { readSessionCookie } from "./credentials/presented-session.ts";
import { sessionUseOf } from "./credentials/session-use.ts";
import { createGrpcListener } from "./grpc/grpc-listener.ts";
import { answerHeadersFor } from "./http/answer-headers.ts";
import { createCallerOrigin } from "./http/caller-origin.ts";
import { createEdge, type EdgeOptions, type Pages } from "./http/edge.ts";
import { createForward } from "./http/forward.ts";
import { createIdentification } from "./http/identification.ts";
import { createOpenStreams, type OpenStreams } from "./http/open-streams.ts";
import { createProxy, type ProxyToOwner } from "./http/proxy.ts";
import { createRevocations } from "./http/revocations.ts";
import { listAddresses, listOtlpAddresses } from "./http/route-table.ts";
import { createCountKeeper } from "./ingest-health/count-keeper.ts";
import { createIngestCounts } from "./ingest-health/ingest-counts.ts";
import { createIngestWatch } from "./ingest-health/ingest-watch.ts";
import { createRateLimits, type RateLimits } from "./limits/rate-limits.ts";
import { createSpentQuotas } from "./limits/spent-quotas.ts";
import { createGatewayMetrics } from "./metrics/gateway-metrics.ts";
import { createServiceMetrics } from "./metrics/service-metrics.ts";
import { announceKey } from "./operations/announce-key.ts";
import { createJudgeAsker } from "./operations/ask-judge.ts";
import { createOwnAnswers } from "./operations/own-answers.ts";
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
  const { logger, clock } = dependencies;
  const stopping = new AbortController();
  const clients = createClients(config, dependencies);
  const replicas = forEachService(config, (_service, addresses) => createReplicaSet(addresses));
  const readiness = createServiceReadiness(replicas, { clock, logger });
  // Services in this process show their metrics themselves; others are requested.
  const serviceMetrics = dependencies.otherMetrics === undefined ? createServiceMetrics(replicas) : null;
  const metrics = createGatewayMetrics(dependencies.metrics, dependencies.otherMetrics ?? [], serviceMetrics);
  const { keys, sessions } = createCredentialCaches(clients.auth, clock);
  const streams = createOpenStreams({ recheckMs: config.streamRecheckMs });
  const spentQuotas = createSpentQuotas();
  const counts = createIngestCounts({ clock });
  const keeper = createCountKeeper({ counts, ingest: clients.ingest, clock, logger });
  const ingestWatch = createIngestWatch({ counts, keys });
  const revocations = createRevocations({ keys, sessions, streams, clients, logger });
  const { requestTimeoutMs, streamIdleMs, publicUrl } = config;
  const proxy = createProxy({
    clients,
    requestTimeoutMs,
    streamIdleMs,
    spentQuotas,
    ingestWatch,
    revocations,
    logger,
  });
  const { bodies, answers } = createMemoryBudgets(dependencies.metrics, streams);
  const bodyMaxBytes = ({ body }: Route) => (body?.kind === "otlp" ? config.otlpBodyMaxBytes : (body?.maxBytes ?? 0));
  let bus: Bus | null = null;
  let rateLimits: RateLimits | null = null;
  const listeners = createListeners();
  let isStopping = false;

  async function checkReadiness(): Promise<Readiness> {
    const { ready, checks } = await readiness.check();
    return isStopping ? { ready: false, checks: { ...checks, process: "stopping" } } : { ready, checks };
  }

  return {
    name: "gateway",
    async start() {
      const openApi = await readOpenApi(config, logger);
      rateLimits = createRateLimits({ settings: config.rateLimits, redis: config.redis, logger });
      const shared: SharedByListeners = {
        ...readListenerBounds(config),
        ...createCallerChecks(config, { keys, sessions }),
        callerOrigin: createCallerOrigin(config),
        rateLimits,
        keys,
        spentQuotas,
        ingestWatch,
        answerOwn: createOwnAnswers(config, {
          checkReadiness,
          metrics,
          openApi,
          clients,
          askJudge: createJudgeAsker(() => bus),
          keeper,
          clock,
        }),
        forward: createForward({ proxy, streams, bodyMaxBytes, publicUrl, bodies, answers, streamIdleMs }),
        bodyMaxBytes,
        metrics,
        logger,
      };
      const pages = createDashboardPages(config, dependencies);
      const edge = createEdge({ ...shared, pages, addresses: listAddresses(config), portSetting: "PORT" });
      const address = await listeners.open(edge, config.listen);
      await openTelemetryListeners(config, listeners, { shared, proxy, bodies });
      keeper.start();
      const password = config.nats.password?.reveal();
      bus = connectBus({ ...config.nats, password, service: "gateway", clock, logger });
      // Best effort: a missed revocation is noticed when the cached key is 5 s old.
      void bus.listen(keyRevoked, ({ projectId }) => revocations.forget([projectId]));
      // The same for sessions.
      void bus.listen(membershipChanged, ({ userIds }) => sessions.forgetUsers(userIds));
      if (dependencies.print) {
        const { printsWholeKey } = config;
        void announceKey({ auth: clients.auth, printsWholeKey, print: dependencies.print, signal: stopping.signal });
      }
      return { address };
    },
    async stop() {
      stopping.abort();
      isStopping = true;
      streams.drain();
      await listeners.stop();
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

type CalledService = keyof GatewayConfig["services"];

function forEachService<Part>(
  { services }: GatewayConfig,
  create: (service: CalledService, addresses: readonly string[]) => Part,
): Record<CalledService, Part> {
  const createFor = (service: CalledService) => create(service, services[service]);
  return {
    auth: createFor("auth"),
    ingest: createFor("ingest"),
    "eval-runs": createFor("eval-runs"),
    monitor: createFor("monitor"),
    dropin: createFor("dropin"),
  };
}

function createClients(config: GatewayConfig, { clock, localCalls }: GatewayDependencies) {
  const { rootSecret } = config;
  return forEachService(config, (audience, addresses) =>
    createInternalClient({ issuer: "gateway", audience, addresses, rootSecret, clock, localCalls }),
  );
}

/** The memory for bodies and for answers that wait for their readers; it is measured, and so are the streams. */
function createMemoryBudgets(metrics: Metrics, streams: OpenStreams) {
  const bodies = createBodyBudget({ bytesMax: limits.gatewayBodiesMaxBytes });
  const answers = createAnswerBudget({ bytesMax: limits.answersMaxBytes });
  const measured = { service: "gateway", metrics } as const;
  watchBodyBudget({ bodies, answers }, measured);
  watchShares({ streams: streams.share, ...bodies.shares }, measured);
  return { bodies, answers };
}

/** Null if the installation lacks the document. */
async function readOpenApi({ openApiFile }: GatewayConfig, logger: Logger): Promise<string | null> {
  return await readFile(openApiFile, "utf8").catch((err) => {
    logger.error({ err }, "the OpenAPI document is missing");
    return null;
  });
}

const readListenerBounds = (config: GatewayConfig) => ({
  answerHeaders: answerHeadersFor(config),
  trustedProxies: config.trustedProxies,
  requestTimeoutMs: config.requestTimeoutMs,
  headersTimeoutMs: config.headersTimeoutMs,
  connectionsMax: config.connectionsMax,
  drain: config.drain,
});

/** What of the edge depends on whether users sign in. */
function createCallerChecks(
  { hasAccounts, publicUrl }: GatewayConfig,
  { keys, sessions }: CredentialCaches,
): Pick<EdgeOptions, "identify" | "handsOutKey" | "mightUseSession" | "sessionChanged"> {
  const isSecure = publicUrl?.startsWith("https:") ?? false;
  return {
    identify: createIdentification({ keys, sessions: hasAccounts ? sessions : null, isSecure }),
    handsOutKey: !hasAccounts,
    mightUseSession: (route) => hasAccounts && sessionUseOf(route) !== "none",
    sessionChanged({ headers }) {
      const cookie = readSessionCookie(headers.cookie, isSecure);
      if (cookie !== null) sessions.forget(cookie);
    },
  };
}

/** Null if no dashboard is served. */
function createDashboardPages(
  { dashboardFolder: folder }: GatewayConfig,
  { dashboardBuilding, logger }: GatewayDependencies,
): Pages | null {
  return folder === null ? null : createPages({ folder, building: dashboardBuilding ?? null, logger });
}

interface ListenAddress {
  host: string;
  port: number;
}

interface Listeners {
  /** Listens at an address; returns what the listener returns. */
  open<Bound>(
    listener: { listen(address: ListenAddress): Promise<Bound>; stop(): Promise<void> },
    address: ListenAddress,
  ): Promise<Bound>;
  /** Stops those that were opened, in parallel. */
  stop(): Promise<void>;
}

function createListeners(): Listeners {
  const opened: { stop(): Promise<void> }[] = [];
  return {
    open(listener, address) {
      opened.push(listener);
      return listener.listen(address);
    },
    async stop() {
      await Promise.all(opened.map((listener) => listener.stop()));
    },
  };
}

type SharedByListeners = Omit<EdgeOptions, "pages" | "addresses" | "portSetting"> & { keys: KeyCache };

/** Opens the listeners that take only telemetry, if they are configured. */
async function openTelemetryListeners(
  { listen: { host }, otlpHttpPort, otlpGrpcPort, otlpBodyMaxBytes }: GatewayConfig,
  listeners: Listeners,
  { shared, proxy, bodies }: { shared: SharedByListeners; proxy: ProxyToOwner; bodies: BodyBudget },
): Promise<void> {
  const { logger } = shared;
  if (otlpHttpPort !== null) {
    const addresses = listOtlpAddresses();
    const otlp = createEdge({ ...shared, pages: null, addresses, portSetting: "SERVICE_OTLP_HTTP_PORT" });
    logger.info({ address: await listeners.open(otlp, { host, port: otlpHttpPort }) }, "taking OTLP/HTTP");
  }
  if (otlpGrpcPort !== null) {
    const grpc = createGrpcListener({ ...shared, proxy, bodies, messageMaxBytes: otlpBodyMaxBytes });
    logger.info({ port: await listeners.open(grpc, { host, port: otlpGrpcPort }) }, "taking OTLP/gRPC");
  }
}
