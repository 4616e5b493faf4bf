import { createAuth, readAuthConfig } from "@touchstone/auth";
import { deadlines, internalRoutes, type ServiceName } from "@touchstone/contracts";
import { createDropin, readDropinConfig } from "@touchstone/dropin";
import { createEvalRuns, readEvalRunsConfig } from "@touchstone/eval-runs";
import { createGateway, readGatewayConfig } from "@touchstone/gateway";
import { createIngest, readIngestConfig } from "@touchstone/ingest";
import { createJudge, readJudgeConfig } from "@touchstone/judge";
import { createMonitor, readMonitorConfig } from "@touchstone/monitor";
import {
  createInternalClient,
  createLocalCalls,
  createLogger,
  createMetrics,
  type Environment,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  releaseIdleMemory,
  type Service,
  showBuild,
  systemClock,
  watchEventLoop,
} from "@touchstone/service-kit";
import { watchBackups } from "./backup/watch-backups.ts";
import type { Dashboard } from "./dashboard/open-dashboard.ts";
import type { Infrastructure } from "./infrastructure.ts";

interface Dependencies {
  logger: Logger;
  clock: typeof systemClock;
  metrics: Metrics;
  /** The metrics of the services in this process; the gateway's `/metrics` includes them. */
  otherMetrics: Metrics[];
  /** How the gateway and eval-runs reach ingest without a socket. */
  localCalls: LocalCalls;
  /** Passed to the gateway: resolves when the dashboard's folder is complete. */
  dashboardBuilding: Promise<void> | null;
}

type Builder = (environment: Environment, dependencies: Dependencies) => { service: Service; warnings: string[] };

/** Builds one service from an environment, exactly as its own `main.ts` does. */
function builder<Config>(
  read: (environment: Environment) => { config: Config; warnings: string[] },
  create: (config: Config, dependencies: Dependencies) => Service,
): Builder {
  return (environment, dependencies) => {
    const { config, warnings } = read(environment);
    return { service: create(config, dependencies), warnings };
  };
}

const builders: Record<ServiceName, Builder> = {
  auth: builder(readAuthConfig, createAuth),
  ingest: builder(readIngestConfig, createIngest),
  judge: builder(readJudgeConfig, createJudge),
  "eval-runs": builder(readEvalRunsConfig, createEvalRuns),
  monitor: builder(readMonitorConfig, createMonitor),
  dropin: builder(readDropinConfig, createDropin),
  gateway: builder(readGatewayConfig, createGateway),
};

/** The variable that contains a service's address for the others. The judge is found on the bus. */
const addressVariables: Partial<Record<ServiceName, string>> = {
  auth: "SERVICE_AUTH_URL",
  ingest: "SERVICE_INGEST_URL",
  "eval-runs": "SERVICE_EVAL_RUNS_URL",
  monitor: "SERVICE_MONITOR_URL",
  dropin: "SERVICE_DROPIN_URL",
};

/** Services start in this order, each knowing where the ones before it listen; they stop in the opposite one. */
const startOrder: readonly ServiceName[] = ["auth", "ingest", "judge", "monitor", "eval-runs", "dropin", "gateway"];

export interface RunningServices {
  /** The gateway's address. */
  address: string;
  /** Whether everything a request needs is up, as reported by the gateway and by each service. */
  readiness(): Promise<Readiness>;
  /** The default project's key; null if there is none. */
  readDefaultKey(): Promise<string | null>;
  stop(): Promise<void>;
}

/**
 * Starts all services in this process, each on a separate loopback socket. A service gets the same settings as from its
 * environment; the only decision made here is that ingest is reached without a socket (decision 18). Only the gateway
 * listens on the operator's PORT and SERVICE_HOST. A warning about a setting is printed once for each service that
 * reads it.
 */
export async function startServices(
  environment: Environment,
  infrastructure: Infrastructure,
  {
    dashboard,
    stopWithinMs,
    onWarning,
  }: { dashboard: Dashboard | null; stopWithinMs: number; onWarning: (warning: string) => void },
): Promise<RunningServices> {
  const running: Service[] = [];
  const addresses: Record<string, string> = {};
  const processMetrics = createMetrics();
  const processLogger = createLogger({ service: "standalone", level: environment.SERVICE_LOG_LEVEL || "warn" });
  watchEventLoop({ service: "standalone", metrics: processMetrics, logger: processLogger });
  showBuild({ service: "standalone", metrics: processMetrics, environment });
  if (infrastructure.databaseFolder !== null) watchBackups(infrastructure.databaseFolder, processMetrics);
  releaseIdleMemory();
  const otherMetrics: Metrics[] = [processMetrics];
  const localCalls = createLocalCalls();
  const stop = async (): Promise<void> => {
    for (const service of running.splice(0).reverse()) await service.stop();
  };
  try {
    for (const name of startOrder) {
      const own = environmentOf(name, environment, infrastructure, {
        ...addresses,
        ...dashboardOf(name, dashboard),
        // They share the stop time of the one process.
        SERVICE_STOP_SECONDS: String(Math.ceil(stopWithinMs / 2_000)),
      });
      const logger = createLogger({ service: name, level: own.SERVICE_LOG_LEVEL ?? "warn" });
      const metrics = createMetrics();
      const dashboardBuilding = dashboard?.building ?? null;
      const dependencies = { logger, clock: systemClock, metrics, otherMetrics, localCalls, dashboardBuilding };
      const { service, warnings } = builders[name](own, dependencies);
      for (const warning of warnings) onWarning(warning);
      running.push(service);
      const started = await service.start();
      const variable = addressVariables[name];
      if (variable !== undefined && started.address !== null) addresses[variable] = started.address;
      if (name === "gateway" && started.address !== null) {
        const readKey = () => readDefaultKey(addresses, infrastructure.rootSecret);
        return { address: started.address, readiness: () => readAll(running), readDefaultKey: readKey, stop };
      }
      // Not the gateway's, which it has itself.
      otherMetrics.push(metrics);
    }
    throw new Error("the gateway did not listen");
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The judge is not checked: it needs a bus, which may be unavailable, and then judging is delayed. */
async function readAll(services: readonly Service[]): Promise<Readiness> {
  const asked = services.filter(({ name }) => name !== "judge");
  const states = await Promise.all(asked.map(async ({ name, readiness }) => ({ name, ...(await readiness()) })));
  const unready = states.filter(({ ready }) => !ready);
  const checks = unready.flatMap(({ name, checks }) =>
    Object.entries(checks).map(([check, state]) => [`${name} ${check}`, state]),
  );
  return { ready: unready.length === 0, checks: Object.fromEntries(checks) };
}

/** As the gateway requests it. */
async function readDefaultKey(addresses: Readonly<Record<string, string>>, rootSecret: string): Promise<string | null> {
  const auth = createInternalClient({
    issuer: "gateway",
    audience: "auth",
    addresses: [addresses.SERVICE_AUTH_URL ?? ""],
    rootSecret,
    clock: systemClock,
  });
  try {
    const options = { requestId: "start", deadlineMs: deadlines.keyLookupMs };
    return (await auth.call(internalRoutes.readDefaultKey, {}, options)).apiKey;
  } finally {
    await auth.close();
  }
}

function dashboardOf(name: ServiceName, dashboard: Dashboard | null): Record<string, string> {
  return name === "gateway" && dashboard !== null ? { SERVICE_DASHBOARD_DIR: dashboard.folder } : {};
}

function environmentOf(
  name: ServiceName,
  environment: Environment,
  { databaseUrl, rootSecret, busLogin }: Infrastructure,
  more: Record<string, string>,
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
    // There is no other replica to use.
    SERVICE_STOP_ANNOUNCE_SECONDS: "0",
    ...more,
  };
}
