import { createAuth, readAuthConfig } from "@touchstone/auth";
import type { ServiceName } from "@touchstone/contracts";
import { createEvalRuns, readEvalRunsConfig } from "@touchstone/eval-runs";
import { createGateway, readGatewayConfig } from "@touchstone/gateway";
import { createIngest, readIngestConfig } from "@touchstone/ingest";
import { createJudge, readJudgeConfig } from "@touchstone/judge";
import { createMonitor, readMonitorConfig } from "@touchstone/monitor";
import {
  createLocalCalls,
  createLogger,
  createMetrics,
  type Environment,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import type { Infrastructure } from "./infrastructure.ts";

interface Dependencies {
  logger: Logger;
  clock: typeof systemClock;
  metrics: Metrics;
  /** Of the services in this process; the gateway's `/metrics` shows them with its own. */
  otherMetrics: Metrics[];
  /** How the gateway reaches ingest without a socket. */
  localCalls: LocalCalls;
}

/** Builds one service from an environment, exactly as its own `main.ts` does. */
const builders: Record<ServiceName, (environment: Environment, dependencies: Dependencies) => Service> = {
  auth: (environment, dependencies) => createAuth(readAuthConfig(environment).config, dependencies),
  ingest: (environment, dependencies) => createIngest(readIngestConfig(environment).config, dependencies),
  judge: (environment, dependencies) => createJudge(readJudgeConfig(environment).config, dependencies),
  "eval-runs": (environment, dependencies) => createEvalRuns(readEvalRunsConfig(environment).config, dependencies),
  monitor: (environment, dependencies) => createMonitor(readMonitorConfig(environment).config, dependencies),
  gateway: (environment, { otherMetrics, ...dependencies }) =>
    createGateway(readGatewayConfig(environment).config, { ...dependencies, otherMetrics }),
};

/** In which variable the others find a service. The judge is found on the bus. */
const addressVariables: Partial<Record<ServiceName, string>> = {
  auth: "SERVICE_AUTH_URL",
  ingest: "SERVICE_INGEST_URL",
  "eval-runs": "SERVICE_EVAL_RUNS_URL",
  monitor: "SERVICE_MONITOR_URL",
};

/** Services start in this order, each knowing where the ones before it listen; they stop in the opposite one. */
const startOrder: readonly ServiceName[] = ["auth", "ingest", "judge", "monitor", "eval-runs", "gateway"];

export interface RunningServices {
  /** Of the gateway. */
  address: string;
  /** As the gateway sees it: whether everything a request needs is up. */
  readiness(): Promise<Readiness>;
  stop(): Promise<void>;
}

/**
 * Starts all services in this process, each on a loopback socket of its own. A service gets what its process would get
 * from its environment; only that the gateway's writes reach ingest without a socket is decided here (decision 18). Only the gateway listens on the operator's PORT and SERVICE_HOST.
 */
export async function startServices(
  environment: Environment,
  infrastructure: Infrastructure,
): Promise<RunningServices> {
  const running: Service[] = [];
  const addresses: Record<string, string> = {};
  const otherMetrics: Metrics[] = [];
  const localCalls = createLocalCalls();
  const stop = async (): Promise<void> => {
    for (const service of running.splice(0).reverse()) await service.stop();
  };
  try {
    for (const name of startOrder) {
      const own = environmentOf(name, environment, infrastructure, addresses);
      const logger = createLogger({ service: name, level: own.SERVICE_LOG_LEVEL ?? "warn" });
      const metrics = createMetrics();
      const service = builders[name](own, { logger, clock: systemClock, metrics, otherMetrics, localCalls });
      otherMetrics.push(metrics);
      running.push(service);
      const started = await service.start();
      const variable = addressVariables[name];
      if (variable !== undefined && started.address !== null) addresses[variable] = started.address;
      if (name === "gateway" && started.address !== null) {
        return { address: started.address, readiness: () => service.readiness(), stop };
      }
    }
    throw new Error("the gateway did not listen");
  } catch (error) {
    await stop();
    throw error;
  }
}

function environmentOf(
  name: ServiceName,
  environment: Environment,
  { databaseUrl, rootSecret, busLogin }: Infrastructure,
  addresses: Record<string, string>,
): Environment {
  const bus = busLogin(name);
  return {
    ...environment,
    ...(name !== "gateway" && { PORT: "0", SERVICE_HOST: "127.0.0.1" }),
    SERVICE_LOG_LEVEL: environment.SERVICE_LOG_LEVEL || "warn",
    SERVICE_DB_URL: databaseUrl,
    SERVICE_INTERNAL_SECRET: rootSecret,
    SERVICE_NATS_URL: bus.url,
    SERVICE_NATS_USER: bus.user,
    SERVICE_NATS_PASSWORD: bus.password,
    // All of them stop within the one process's time, and there is no other replica to go to.
    SERVICE_STOP_SECONDS: "5",
    SERVICE_STOP_ANNOUNCE_SECONDS: "0",
    ...addresses,
  };
}
