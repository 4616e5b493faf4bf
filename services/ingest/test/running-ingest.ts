import { identityHeader } from "@touchstone/contracts";
import {
  type Clock,
  createIdentitySigner,
  createInternalClient,
  createMetrics,
  type IdentityClaims,
  type InternalClient,
  type Logger,
  type Metrics,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import { type TestDatabase, useStarted, useTestDatabase } from "@touchstone/testkit";
import { createIngest, type IngestConfig } from "../src/index.ts";
import { openPools, silentLogger } from "./ingest-database.ts";

export const rootSecret = "the root secret of a test installation";

/** The service as the gateway sees it. */
export interface RunningIngest {
  service: Service;
  address: string;
  metrics: Metrics;
  /** Without a project: as the gateway passes on what comes without a key. */
  call(projectId: string | null, method: string, path: string, request?: Request): Promise<Reply>;
  /** The same with the answer's body still to be read. */
  open(projectId: string | null, method: string, path: string, request?: Request): Promise<Response>;
  submit(projectId: string, trace: unknown): Promise<Reply>;
  /** Asks what eval-runs asks. */
  ask: InternalClient["call"];
  /** Resolves once the service is ready. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

interface Request {
  body?: string | Buffer | ReadableStream;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  json: any;
  bytes: Buffer;
}

interface IngestOptions {
  databaseUrl: string;
  natsUrl?: string;
  logger?: Logger;
  config?: Partial<IngestConfig>;
  /** Of the service and of its caller, since identities expire. */
  clock?: Clock;
}

/** The service, on a database of its own, for the tests of the file that calls this; `pools` are connections of its roles. */
export function useIngest(options: Omit<IngestOptions, "databaseUrl"> = {}): {
  database: TestDatabase;
  ingest: RunningIngest;
  pools: ReturnType<typeof openPools>;
} {
  const database = useTestDatabase();
  const pools = useStarted(
    async () => openPools(database.url),
    ({ app, maintenance }) => Promise.all([app.close(), maintenance.close()]),
  );
  const start = async (): Promise<RunningIngest> => {
    const ingest = await startIngest({ databaseUrl: database.url, ...options });
    await ingest.ready();
    return ingest;
  };
  return { database, pools, ingest: useStarted(start, (ingest) => ingest.stop()) };
}

/** A client that asks what monitor asks. */
export const useMonitor = (ingest: RunningIngest, clock?: Clock): InternalClient => usePeer("monitor", ingest, clock);

/** A client that asks what this service asks. */
export function usePeer(
  issuer: "monitor" | "eval-runs",
  ingest: RunningIngest,
  clock: Clock = systemClock,
): InternalClient {
  const start = async (): Promise<InternalClient> =>
    createInternalClient({ issuer, audience: "ingest", addresses: [ingest.address], rootSecret, clock });
  return useStarted(start, (peer) => peer.close());
}

/** Starts the service on a free port. Without `natsUrl` its bus is never there. */
export async function startIngest(options: IngestOptions): Promise<RunningIngest> {
  const clock = options.clock ?? systemClock;
  const metrics = createMetrics();
  const service = createIngest(
    {
      listen: { host: "127.0.0.1", port: 0 },
      logLevel: "silent",
      databaseUrl: options.databaseUrl,
      migratesAtStart: true,
      rootSecret,
      nats: {
        url: options.natsUrl ?? "nats://127.0.0.1:1",
        user: undefined,
        password: undefined,
        tls: undefined,
        eventStore: { replicas: 1 },
      },
      stopWithinMs: 10_000,
      stallAfterMs: null,
      tracing: null,
      drainMs: 8_000,
      queueRowsMax: 10_000,
      batchRowsMax: 256,
      fieldCharsMax: null,
      tracesPerDay: null,
      retentionDays: null,
      otlpBodyMaxBytes: 64 * 1024 * 1024,
      genAiOnly: false,
      monitorsChildSpans: false,
      ...options.config,
    },
    { logger: options.logger ?? silentLogger, clock, metrics },
  );
  const { address } = await service.start();
  const sign = createIdentitySigner({ issuer: "gateway", audience: "ingest", rootSecret, clock });

  const evalRuns = createInternalClient({
    issuer: "eval-runs",
    audience: "ingest",
    addresses: [address ?? ""],
    rootSecret,
    clock,
  });

  async function open(
    projectId: string | null,
    method: string,
    path: string,
    request: Request = {},
  ): Promise<Response> {
    const claims: IdentityClaims = {
      projectId,
      organizationId: null,
      userId: null,
      role: projectId === null ? null : "key",
      requestId: "request",
      method,
      path,
    };
    return fetch(`${address}${path}`, {
      method,
      headers: { "content-type": "application/json", ...request.headers, [identityHeader]: sign(claims) },
      ...(request.body === undefined ? {} : { body: request.body as string, duplex: "half" as const }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
  }

  async function call(projectId: string | null, method: string, path: string, request: Request = {}): Promise<Reply> {
    const response = await open(projectId, method, path, request);
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
      bytes,
    };
  }

  return {
    service,
    address: address ?? "",
    metrics,
    call,
    open,
    submit: (projectId, trace) =>
      call(projectId, "POST", "/api/v1/ingest/traces", {
        body: typeof trace === "string" ? trace : JSON.stringify(trace),
      }),
    ask: evalRuns.call,
    async ready() {
      await until(async () => {
        const { ready, checks } = await service.readiness();
        // A test may set the clock to any time.
        return ready || ["schema", "partitions", "database", "writes"].every((part) => checks[part] === "ok");
      });
    },
    async stop() {
      await evalRuns.close();
      await service.stop();
    },
  };
}

/** Waits for a condition, up to the test's own time-out. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
