import { randomBytes } from "node:crypto";
import { createTestDatabase, findFreePort, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { waitUntil } from "./wait-until.ts";

/** The services with one process per system, in their start order. */
const serviceNames = ["auth", "ingest", "judge", "eval-runs", "monitor", "dropin", "gateway"] as const;
type ServiceName = (typeof serviceNames)[number];

type Settings = Record<string, string>;

export interface SystemOptions {
  /** Settings for every service besides those of the layout: the judge's provider, limits. */
  settings?: Settings | ((servers: { databaseUrl: string; url: string }) => Settings | Promise<Settings>);
  /** The number of judge processes; several share one queue group. */
  judges?: number;
}

/** A whole system as in compose: one process for each service, on a separate database and nats-server. */
export interface System {
  url: string;
  apiKey: string;
  database: TestDatabase;
  nats: TestNats;
  services: Readonly<Record<Exclude<ServiceName, "judge">, ServiceProcess>>;
  judges: readonly ServiceProcess[];
  /** Starts another process of a service on the port of a killed one. */
  restart(name: Exclude<ServiceName, "judge">): Promise<void>;
  startJudge(): Promise<ServiceProcess>;
  /** Starts another gateway beside the first and returns its address. */
  startGateway(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a system and waits until the gateway reports that it is ready. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const nats = await startTestNats();
    cleanups.push(() => nats.stop());
    const ports = Object.fromEntries(
      await Promise.all(serviceNames.map(async (name) => [name, await findFreePort()] as const)),
    ) as Record<ServiceName, number>;
    const at = (name: ServiceName): string => `http://127.0.0.1:${ports[name]}`;
    const environment: Record<string, string> = {
      SERVICE_DB_URL: database.url,
      SERVICE_NATS_URL: nats.url,
      SERVICE_INTERNAL_SECRET: randomBytes(32).toString("base64url"),
      SERVICE_AUTH_URL: at("auth"),
      SERVICE_INGEST_URL: at("ingest"),
      SERVICE_EVAL_RUNS_URL: at("eval-runs"),
      SERVICE_MONITOR_URL: at("monitor"),
      SERVICE_DROPIN_URL: at("dropin"),
      SERVICE_RATE_LIMIT: "off",
      ...(await settingsOf(options, { databaseUrl: database.url, url: at("gateway") })),
    };
    const start = async (name: ServiceName, port: number): Promise<ServiceProcess> => {
      const started = await startServiceProcess({ name, port, environment });
      cleanups.push(() => started.stop());
      return started;
    };
    const services = Object.fromEntries(
      await allStarted(
        serviceNames
          .filter((name) => name !== "judge")
          .map(async (name) => [name, await start(name, ports[name])] as const),
      ),
    ) as Record<Exclude<ServiceName, "judge">, ServiceProcess>;
    const judges = await allStarted(
      Array.from({ length: options.judges ?? 1 }, async () => start("judge", await findFreePort())),
    );
    const url = at("gateway");
    await waitUntil("the system is ready", async () => (await fetch(`${url}/health`)).status === 200);
    const config = (await (await fetch(`${url}/api/v1/auth/config`)).json()) as { apiKey: string };
    return {
      url,
      apiKey: config.apiKey,
      database,
      nats,
      services,
      judges,
      async restart(name) {
        services[name] = await start(name, ports[name]);
      },
      async startJudge() {
        const judge = await start("judge", await findFreePort());
        judges.push(judge);
        return judge;
      },
      async startGateway() {
        const port = await findFreePort();
        await start("gateway", port);
        const address = `http://127.0.0.1:${port}`;
        await waitUntil("the gateway is ready", async () => (await fetch(`${address}/health`)).status === 200);
        return address;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function settingsOf({ settings }: SystemOptions, servers: { databaseUrl: string; url: string }) {
  return typeof settings === "function" ? settings(servers) : settings;
}

/** All of them, or the first failure once each has started or failed; those that started are stopped then. */
async function allStarted<Started>(starting: readonly Promise<Started>[]): Promise<Started[]> {
  await Promise.allSettled(starting);
  return Promise.all(starting);
}
