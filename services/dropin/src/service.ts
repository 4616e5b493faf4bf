import type { ServiceName } from "@touchstone/contracts";
import {
  type Clock,
  createHttpServer,
  createInternalClient,
  type HttpServer,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Service,
} from "@touchstone/service-kit";
import type { DropinConfig } from "./config.ts";
import { langfuseRoutes } from "./langfuse/routes.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { createOwner } from "./owner.ts";

export interface DropinDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Lets services in the same process call one another without a socket. */
  localCalls?: LocalCalls | undefined;
}

/**
 * Dropin answers the clients of other systems in their own words. It stores nothing: it asks the services that own the data,
 * under the identity of the request, and is ready as soon as it listens.
 */
export function createDropin(config: DropinConfig, dependencies: DropinDependencies): Service {
  const { rootSecret } = config;
  const clientOf = (audience: ServiceName, addresses: readonly string[]) =>
    createInternalClient({ ...dependencies, issuer: "dropin", audience, addresses, rootSecret });
  const auth = clientOf("auth", config.authAddresses);
  const ingest = clientOf("ingest", config.ingestAddresses);
  const evalRuns = clientOf("eval-runs", config.evalRunsAddresses);
  const monitor = clientOf("monitor", config.monitorAddresses);
  const owners = {
    auth: createOwner(auth),
    ingest: createOwner(ingest),
    evalRuns: createOwner(evalRuns),
    monitor: createOwner(monitor),
  };
  const readiness = async () => ({ ready: true, checks: {} });
  let server: HttpServer | null = null;
  return {
    name: "dropin",
    async start() {
      server = createHttpServer({
        ...dependencies,
        service: "dropin",
        routes: [...langfuseRoutes({ ...owners, clock: dependencies.clock }), ...mcpRoutes(owners)],
        rootSecret,
        readiness,
        drainMs: config.drainMs,
      });
      return { address: await server.listen(config.listen) };
    },
    async stop() {
      await server?.stop();
      await Promise.all([auth.close(), ingest.close(), evalRuns.close(), monitor.close()]);
    },
    readiness,
  };
}
