import { connect } from "node:net";
import { Writable } from "node:stream";
import { internalRoutes, type RouteId, routes } from "@touchstone/contracts";
import {
  type Clock,
  completeProjectKey,
  createHttpServer,
  createLocalCalls,
  createLogger,
  createMetrics,
  type Handler,
  type Metrics,
  type Readiness,
  type ServedRoute,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import { type GatewayConfig, readGatewayConfig } from "../src/config.ts";
import { createGateway } from "../src/service.ts";

export const rootSecret = "a root secret of the installation, long enough";
export const projectId = "00000000-0000-7000-8000-000000000001";
/** A key of {@link projectId}. */
export const apiKey = completeProjectKey("0123456789abcdefghijABCDEFGHIJxy");
/** Well formed, but unknown. */
export const strangeKey = completeProjectKey("yxJIHGFEDCBAjihgfedcba9876543210");

/** Services behind a gateway under test. Routes that are not named answer 200 with the request. */
export type Behind = Partial<Record<RouteId | keyof typeof internalRoutes, Handler>>;

type BehindName = "auth" | "ingest" | "eval-runs" | "monitor" | "dropin";

export interface TestGatewayOptions {
  behind?: Behind;
  /** The health of each service. */
  readiness?: Partial<Record<BehindName, Readiness>>;
  /** The metrics of each service. */
  metrics?: Partial<Record<BehindName, Metrics>>;
  settings?: Record<string, string>;
  config?: Partial<GatewayConfig>;
  print?: (line: string) => void;
  /** Of the gateway alone. */
  clock?: Clock;
  /** Settles when the dashboard's folder is whole. */
  dashboardBuilding?: Promise<void>;
  /** Whether the services behind are in its process. */
  isLocal?: boolean;
}

export interface TestGateway {
  url: string;
  service: Service;
  /** Everything the gateway logged, parsed. */
  log: Record<string, unknown>[];
  stopBehind(name: BehindName): Promise<void>;
  stop(): Promise<void>;
}

const ready: Readiness = { ready: true, checks: { database: "ok" } };

/** Returns the requests that a service received from the gateway. */
export const echo: Handler = async (call) => ({
  status: 200,
  body: {
    params: call.params,
    query: call.query,
    headers: call.headers,
    project: call.identity.projectId,
    role: call.identity.role,
    bytes: call.rawBody.length,
    text: call.rawBody.subarray(0, 100).toString("latin1"),
  },
});

const resolveKey: Handler = async (call) => {
  const asked = (await call.json()) as { apiKey: string };
  return { status: 200, body: { key: asked.apiKey === apiKey ? { projectId, organizationId: null } : null } };
};

/** A gateway on a free port with five small services behind it, and no NATS. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const silent = createLogger({ service: "behind", level: "silent" });
  const handlers: Behind = { resolveKey, ...options.behind };
  const localCalls = options.isLocal ? createLocalCalls() : undefined;
  const startBehind = async (service: BehindName) => {
    const served: ServedRoute[] = [...Object.values(routes), ...Object.values(internalRoutes)]
      .filter((route) => route.owner === service)
      .map((route) => ({ route, handle: handlers[route.id as RouteId] ?? echo }));
    const server = createHttpServer({
      service,
      routes: served,
      rootSecret,
      clock: systemClock,
      logger: silent,
      metrics: options.metrics?.[service] ?? createMetrics(),
      readiness: async () => options.readiness?.[service] ?? ready,
      localCalls,
    });
    return { server, url: await server.listen({ host: "127.0.0.1", port: 0 }) };
  };
  const behind = {
    auth: await startBehind("auth"),
    ingest: await startBehind("ingest"),
    "eval-runs": await startBehind("eval-runs"),
    monitor: await startBehind("monitor"),
    dropin: await startBehind("dropin"),
  };
  const { config } = readGatewayConfig({
    PORT: "0",
    SERVICE_INTERNAL_SECRET: rootSecret,
    // No service is on the bus: no request may depend on it.
    SERVICE_NATS_URL: "nats://127.0.0.1:1",
    SERVICE_AUTH_URL: behind.auth.url,
    SERVICE_INGEST_URL: behind.ingest.url,
    SERVICE_EVAL_RUNS_URL: behind["eval-runs"].url,
    SERVICE_MONITOR_URL: behind.monitor.url,
    SERVICE_DROPIN_URL: behind.dropin.url,
    ...options.settings,
  });
  const log: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const service = createGateway(
    { ...config, ...options.config },
    {
      logger: createLogger({ service: "gateway", level: "trace" }, destination),
      clock: options.clock ?? systemClock,
      metrics: createMetrics(),
      ...(localCalls && { localCalls }),
      ...(options.print && { print: options.print }),
      ...(options.dashboardBuilding && { dashboardBuilding: options.dashboardBuilding }),
    },
  );
  const { address } = await service.start();
  return {
    url: address as string,
    service,
    log,
    stopBehind: (name) => behind[name].server.stop(),
    async stop() {
      await service.stop();
      await Promise.all(Object.values(behind).map(({ server }) => server.stop()));
    },
  };
}

/** Sends bytes as they are and answers all that came back until the connection closed. */
export function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    socket.once("close", () => resolve(received));
    // A server may well close while we still write.
    socket.on("error", (error) => (received === "" ? reject(error) : undefined));
    for (const part of parts) socket.write(part);
  });
}

/** The head of a raw request that asks the server to close after its answer. */
export function head(method: string, path: string, headers: Record<string, string> = {}): string {
  const all = { host: "localhost", connection: "close", "x-api-key": apiKey, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

export const mebibyte = 1024 * 1024;

/** Posts a body with its length, as JSON. */
export const post = (gateway: TestGateway, path: string, body: Buffer<ArrayBuffer> | string, headers = {}) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
    body,
  });

export const bodyOf = async (answer: Response) => (await answer.json()) as Record<string, unknown>;

/** A body sent in chunks, without a length; answers when the server does. */
export function postChunked(
  gateway: TestGateway,
  path: string,
  body: Buffer,
  chunkBytes = 64 * 1024,
): Promise<Response> {
  let sent = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (sent >= body.length) return controller.close();
      controller.enqueue(body.subarray(sent, sent + chunkBytes));
      sent += chunkBytes;
    },
  });
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: stream,
    duplex: "half",
  } as RequestInit);
}
