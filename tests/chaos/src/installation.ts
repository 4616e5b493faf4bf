import { randomBytes } from "node:crypto";
import path from "node:path";
import {
  startGuardian,
  startThrowAwayNats,
  startThrowAwayNatsCluster,
  type ThrowAwayNats,
} from "@touchstone/embedded-servers";
import { findFreePort } from "@touchstone/testkit";
import { type ServiceProcess, startServiceProcess } from "../../integration/src/service-process.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import type { AuditedSystem } from "./audited-load.ts";
import { createProject } from "./create-project.ts";
import { databaseUrlAt, type PostgresServer, startPostgresServer } from "./postgres-server.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

type ServiceName = "auth" | "ingest" | "monitor" | "eval-runs" | "judge" | "dropin" | "gateway";

/** A process of a service that can be killed and restarted at the same address. */
export interface ServiceSlot {
  name: ServiceName;
  url: string;
  readonly process: ServiceProcess;
  kill(): Promise<void>;
  /** Asks it to stop, waits, and returns the exit code. */
  stop(): Promise<number | null>;
  /** Restarts it after its end, with the code of the given repository, or the code it had. */
  start(repository?: string): Promise<void>;
}

/** A service that takes part in judging, with a separate proxy to NATS. */
export interface JudgingSlot extends ServiceSlot {
  bus: TcpProxy;
}

export interface InstallationOptions {
  gateways?: number;
  ingests?: number;
  /** Without eval-runs nothing is evaluated. Traces do not need it, and the installation starts sooner. */
  evalRuns?: number;
  judges?: number;
  /** Without dropin no client of another system is answered. */
  dropins?: number;
  /** A cluster of three nats-servers that sync every message, with three copies of each stream. */
  hasNatsCluster?: boolean;
  /** Overrides `settings` for one judge. */
  judgeSettings?: (index: number) => Readonly<Record<string, string>>;
  /** Settings besides those of the layout, for every service. */
  settings?: Readonly<Record<string, string>>;
  postgres?: Parameters<typeof startPostgresServer>[0];
  /** The repository whose code all services run first. Default: this one. */
  repository?: string;
  /** How the processes of one service are started: resource limits, another loader, another log file. */
  launch?: Partial<Record<ServiceName, Pick<LaunchOptions, "wrapper" | "nodeArguments" | "output">>>;
}

/** The code under test. */
export const thisRepository = path.resolve(import.meta.dirname, "../../..");

const logTailMax = 4_000;

type LaunchOptions = Parameters<typeof startServiceProcess>[0];

/** A system with at least one process for each service, as in compose; services reach PostgreSQL through a proxy. */
export interface Installation extends AuditedSystem {
  /** The key of the default project. */
  apiKey: string;
  postgres: PostgresServer;
  /** Between the services and PostgreSQL. */
  database: TcpProxy;
  /** The nats-server, or the first of the cluster. */
  nats: ThrowAwayNats;
  natsServers: readonly ThrowAwayNats[];
  gateways: readonly ServiceSlot[];
  ingests: readonly ServiceSlot[];
  evalRuns: readonly JudgingSlot[];
  judges: readonly JudgingSlot[];
  dropins: readonly ServiceSlot[];
  auth: ServiceSlot;
  monitor: ServiceSlot;
  /** Names of the services whose process has ended. Only the test restarts them. */
  listEnded(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts an installation and waits until it accepts traces. All its processes end with this process. */
export async function startInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const postgres = await startPostgresServer(options.postgres);
    cleanups.push(() => postgres.stop());
    const database = await startTcpProxy(postgres.port);
    cleanups.push(() => database.close());
    const natsServers = options.hasNatsCluster
      ? (await startThrowAwayNatsCluster({ findPort: findFreePort, isDurable: true })).servers
      : [await startThrowAwayNats({ port: await findFreePort() })];
    cleanups.push(async () => {
      for (const server of natsServers) server.signal("SIGCONT");
      await Promise.all(natsServers.map((server) => server.stop()));
    });
    const nats = natsServers[0] as ThrowAwayNats;
    const ports = await findPorts(options);
    const environment = {
      ...environmentOf(ports),
      SERVICE_DB_URL: databaseUrlAt(database.port),
      SERVICE_NATS_URL: natsServers.map(({ url }) => url).join(","),
      SERVICE_NATS_REPLICAS: String(natsServers.length),
      ...options.settings,
    };
    const openSlot = async (
      name: ServiceName,
      port: number,
      own: Readonly<Record<string, string>> = {},
    ): Promise<ServiceSlot> => {
      const slot = await startSlot({
        name,
        port,
        environment: { ...environment, ...own },
        repository: options.repository ?? thisRepository,
        ...options.launch?.[name],
      });
      cleanups.push(slot.end);
      return slot;
    };
    const openJudgingSlot = async (
      name: "eval-runs" | "judge",
      port: number,
      own: Readonly<Record<string, string>> = {},
    ): Promise<JudgingSlot> => {
      const bus = await startTcpProxy(nats.port);
      cleanups.push(() => bus.close());
      const busUrl = new URL(nats.url);
      busUrl.port = String(bus.port);
      const slot = await openSlot(name, port, { SERVICE_NATS_URL: busUrl.href, ...own });
      return Object.assign(slot, { bus });
    };
    const opening = {
      auth: [openSlot("auth", ports.auth)],
      monitor: [openSlot("monitor", ports.monitor)],
      ingests: ports.ingests.map((port) => openSlot("ingest", port)),
      evalRuns: ports.evalRuns.map((port) => openJudgingSlot("eval-runs", port)),
      judges: ports.judges.map((port, index) => openJudgingSlot("judge", port, options.judgeSettings?.(index))),
      dropins: ports.dropins.map((port) => openSlot("dropin", port)),
      gateways: ports.gateways.map((port) => openSlot("gateway", port)),
    };
    // Waits for all outcomes, so that the clean-up of a failed start knows what to stop.
    await Promise.allSettled(Object.values(opening).flat());
    const [auth] = (await Promise.all(opening.auth)) as [ServiceSlot];
    const [monitor] = (await Promise.all(opening.monitor)) as [ServiceSlot];
    const ingests = await Promise.all(opening.ingests);
    const evalRuns = await Promise.all(opening.evalRuns);
    const judges = await Promise.all(opening.judges);
    const dropins = await Promise.all(opening.dropins);
    const gateways = await Promise.all(opening.gateways);
    const slots = [auth, monitor, ...ingests, ...evalRuns, ...judges, ...dropins, ...gateways];
    const urls = gateways.map(({ url }) => url);

    const logTails = (): string =>
      slots.map(({ name, process }) => `${name}: ${process.log().slice(-logTailMax)}`).join("\n");
    const owners = [...ingests, ...evalRuns, ...judges, ...dropins];
    const settle = (): Promise<void> =>
      awaitService({ owners, gateways }).catch((cause) => {
        throw new Error(logTails(), { cause });
      });
    await settle();
    const { apiKey } = (await (await fetch(`${urls[0]}/api/v1/auth/config`)).json()) as { apiKey: string };
    return {
      apiKey,
      postgres,
      database,
      nats,
      natsServers,
      gateways,
      ingests,
      evalRuns,
      judges,
      dropins,
      auth,
      monitor,
      urls,
      createProject: (name) => createProject({ url: urls[0] as string, apiKey }, name),
      async countAnnounced(projectId) {
        const { rows } = await postgres.query<{ trace_id: string; n: number }>(
          "select trace_id, count(*)::int as n from monitor.seen_traces where project_id = $1 group by 1",
          [projectId],
        );
        return new Map(rows.map((row) => [row.trace_id, row.n]));
      },
      settle,
      logTails,
      listEnded: () => listEnded(slots),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Ports = Awaited<ReturnType<typeof findPorts>>;

async function findPorts({ ingests = 1, evalRuns = 0, judges = 0, dropins = 0, gateways = 1 }: InstallationOptions) {
  const find = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, findFreePort));
  return {
    auth: await findFreePort(),
    monitor: await findFreePort(),
    ingests: await find(ingests),
    evalRuns: await find(evalRuns),
    judges: await find(judges),
    dropins: await find(dropins),
    gateways: await find(gateways),
  };
}

/** The settings of every service, by which the services find each other. */
function environmentOf({ auth, monitor, ingests, evalRuns, dropins }: Ports): Record<string, string> {
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    SERVICE_INTERNAL_SECRET: randomBytes(32).toString("base64url"),
    SERVICE_AUTH_URL: at(auth),
    SERVICE_INGEST_URL: ingests.map(at).join(","),
    // Nothing listens there if it is not part of the test.
    SERVICE_EVAL_RUNS_URL: evalRuns.map(at).join(",") || at(1),
    SERVICE_MONITOR_URL: at(monitor),
    SERVICE_DROPIN_URL: dropins.map(at).join(",") || at(1),
    SERVICE_RATE_LIMIT: "off",
    SERVICE_LOG_LEVEL: "warn",
  };
}

type Slots = readonly Pick<ServiceSlot, "name" | "url">[];

function awaitService({ owners, gateways }: { owners: Slots; gateways: Slots }): Promise<void> {
  return waitUntil(
    "every ingest, eval-runs, judge and dropin is ready and every gateway serves",
    async () => {
      const ready = owners.map(async ({ url }) => (await fetch(`${url}/health/ready`)).ok);
      const serving = gateways.map(async ({ url }) => (await fetch(`${url}/api/v1/auth/config`)).ok);
      return (await Promise.all([...ready, ...serving])).every(Boolean);
    },
    { timeoutMs: 60_000 },
  );
}

async function listEnded(slots: Slots): Promise<string[]> {
  const lives = await Promise.all(
    slots.map(({ url }) =>
      fetch(`${url}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  );
  return slots.filter((_, index) => !lives[index]).map(({ name }) => name);
}

async function startSlot(
  launch: Pick<LaunchOptions, "port" | "environment"> & { name: ServiceName; repository: string },
): Promise<ServiceSlot & { end(): Promise<void> }> {
  const guardian = startGuardian();
  let { repository } = launch;
  let running = true;
  const begin = async (): Promise<ServiceProcess> => {
    const started = await startServiceProcess({ ...launch, repository });
    await guardian.watch([{ pid: started.pid, politeSignal: "TERM", forcefulSignal: "KILL" }]);
    return started;
  };
  let current = await begin();
  return {
    name: launch.name,
    url: current.address,
    get process() {
      return current;
    },
    async kill() {
      running = false;
      await current.kill();
    },
    async stop() {
      running = false;
      return current.stop();
    },
    async start(other) {
      repository = other ?? repository;
      current = await begin();
      running = true;
    },
    async end() {
      if (running) await current.kill();
      guardian.dismiss();
    },
  };
}
