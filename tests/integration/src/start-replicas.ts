import { randomBytes } from "node:crypto";
import { createTestDatabase, findFreePort, startTestNats, type TestDatabase } from "@touchstone/testkit";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { waitUntil } from "./wait-until.ts";

/** A service with several replicas, each on a port that it keeps across restarts. */
type Replicated = "gateway" | "ingest";

export interface ReplicatedSystem {
  /** Addresses of the gateways. */
  gateways: readonly string[];
  /** Addresses of the ingest replicas, including those not started. */
  ingests: readonly string[];
  apiKey: string;
  database: TestDatabase;
  /** Stops a replica like a rolling update, restarts it and waits until it is ready; returns its exit code. */
  restart(name: Replicated, index: number): Promise<number | null>;
  start(name: Replicated, index: number): Promise<void>;
  stop(): Promise<void>;
}

/** Two gateways and three ingest addresses, of which `ingests` are started, on one PostgreSQL. */
export async function startReplicas({ ingests }: { ingests: number }): Promise<ReplicatedSystem> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const nats = await startTestNats();
    cleanups.push(() => nats.stop());
    const places = async (count: number) =>
      Promise.all(Array.from({ length: count }, async () => ({ port: await findFreePort() })));
    const [auth, evalRuns] = await places(2);
    const ports = { gateway: await places(2), ingest: await places(3) };
    const at = (place: { port: number } | undefined): string => `http://127.0.0.1:${place?.port}`;
    const environment: Record<string, string> = {
      SERVICE_DB_URL: database.url,
      SERVICE_NATS_URL: nats.url,
      SERVICE_INTERNAL_SECRET: randomBytes(32).toString("base64url"),
      SERVICE_AUTH_URL: at(auth),
      SERVICE_INGEST_URL: ports.ingest.map(at).join(","),
      SERVICE_EVAL_RUNS_URL: at(evalRuns),
      // Monitor is not part of the test: a stub that is always ready replaces it.
      SERVICE_MONITOR_URL: at(evalRuns),
      SERVICE_DROPIN_URL: "http://127.0.0.1:1",
      SERVICE_RATE_LIMIT: "off",
    };
    const running = new Map<string, ServiceProcess>();
    const run = async (name: string, port: number): Promise<void> => {
      running.set(`${name} ${port}`, await startServiceProcess({ name, port, environment }));
      await waitUntil(`${name} is ready`, async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
    };
    const portOf = (name: Replicated, index: number): number => ports[name][index]?.port as number;
    cleanups.push(() => Promise.all([...running.values()].map((process) => process.stop())));
    await Promise.all([
      run("auth", auth?.port as number),
      run("eval-runs", evalRuns?.port as number),
      ...ports.ingest.slice(0, ingests).map(({ port }) => run("ingest", port)),
    ]);
    await Promise.all(ports.gateway.map(({ port }) => run("gateway", port)));
    const config = (await (await fetch(`${at(ports.gateway[0])}/api/v1/auth/config`)).json()) as { apiKey: string };
    return {
      gateways: ports.gateway.map(at),
      ingests: ports.ingest.map(at),
      apiKey: config.apiKey,
      database,
      async restart(name, index) {
        const port = portOf(name, index);
        const code = (await running.get(`${name} ${port}`)?.stop()) ?? null;
        await run(name, port);
        return code;
      },
      start: (name, index) => run(name, portOf(name, index)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
