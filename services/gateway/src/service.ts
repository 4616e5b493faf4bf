import { readFile } from "node:fs/promises";
import { type Bus, connectBus } from "@touchstone/bus";
import { deadlines, internalRoutes, keyRevoked, type Route, type ServiceName } from "@touchstone/contracts";
import {
  type Clock,
  createInternalClient,
  type Logger,
  type Metrics,
  type Service,
  uuidv7,
} from "@touchstone/service-kit";
import type { GatewayConfig } from "./config.ts";
import { createCallerOrigin } from "./http/caller-origin.ts";
import { createEdge, type Edge } from "./http/edge.ts";
import { createForward } from "./http/forward.ts";
import { createKeyCache } from "./keys/key-cache.ts";
import { announceKey } from "./operations/announce-key.ts";
import { createExportIndex } from "./operations/export-index.ts";
import { createGatewayMetrics } from "./operations/gateway-metrics.ts";
import { createMetricsAccess } from "./operations/metrics-access.ts";
import { createOwnAnswerer } from "./operations/own-routes.ts";
import { createServiceReadiness } from "./operations/service-readiness.ts";
import { createRateLimits, type RateLimits } from "./rate-limits/rate-limits.ts";

export interface GatewayDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Metrics of services in the same process, to be shown on `/metrics` too. */
  otherMetrics?: readonly Metrics[];
  /** Takes the line with the default project's key, once auth can say it. Without it no line is made. */
  print?: (line: string) => void;
}

/**
 * The gateway is the only public door: it checks who calls, how fast and how much, and passes the bytes on to the service
 * that owns the route. It keeps nothing; NATS and Redis may be away, and auth for a minute.
 */
export function createGateway(config: GatewayConfig, dependencies: GatewayDependencies): Service {
  const { logger, clock } = dependencies;
  const stopping = new AbortController();
  const clientOf = (audience: ServiceName, addresses: readonly string[]) =>
    createInternalClient({ issuer: "gateway", audience, addresses, rootSecret: config.rootSecret, clock });
  const clients = {
    auth: clientOf("auth", config.services.auth),
    ingest: clientOf("ingest", config.services.ingest),
    "eval-runs": clientOf("eval-runs", config.services["eval-runs"]),
  };
  const readiness = createServiceReadiness(config.services);
  const metrics = createGatewayMetrics(dependencies.metrics, dependencies.otherMetrics ?? []);
  const keys = createKeyCache({
    clock,
    async lookUp(apiKey) {
      const options = { requestId: uuidv7(clock.now()), deadlineMs: deadlines.keyLookupMs };
      return (await clients.auth.call(internalRoutes.resolveKey, { apiKey }, options)).key;
    },
  });
  const bodyMaxBytes = ({ body }: Route) => (body?.kind === "otlp" ? config.otlpBodyMaxBytes : (body?.maxBytes ?? 0));
  let bus: Bus | null = null;
  let rateLimits: RateLimits | null = null;
  let edge: Edge | null = null;

  return {
    name: "gateway",
    async start() {
      const openApi = await readFile(config.openApiFile, "utf8").catch((err) => {
        logger.error({ err }, "the OpenAPI document is missing");
        return null;
      });
      rateLimits = createRateLimits({ settings: config.rateLimits, redisUrl: config.redisUrl, logger });
      edge = createEdge({
        callerOrigin: createCallerOrigin(config),
        rateLimits,
        keys,
        answerOwn: createOwnAnswerer({
          readiness,
          metrics,
          mayReadMetrics: createMetricsAccess(config.metricsToken),
          openApi,
          readExportIndex: createExportIndex(clients),
        }),
        forward: createForward({ clients, bodyMaxBytes, requestTimeoutMs: config.requestTimeoutMs, logger }),
        bodyMaxBytes,
        metrics,
        logger,
        trustedProxies: config.trustedProxies,
        requestTimeoutMs: config.requestTimeoutMs,
        headersTimeoutMs: config.headersTimeoutMs,
      });
      const address = await edge.listen(config.listen);
      bus = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "gateway",
        logger,
      });
      // Best effort: a revocation that is missed is noticed when the cached key is 5 s old.
      void bus.listen(keyRevoked, ({ projectId }) => keys.forgetProject(projectId));
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
      await edge?.stop();
      await bus?.drain();
      rateLimits?.close();
      await Promise.all([readiness.close(), ...Object.values(clients).map((client) => client.close())]);
    },
    readiness: () => readiness.check(),
  };
}
