import { randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import {
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import type { Route } from "@touchstone/contracts";
import {
  AppError,
  addressSubjectOf,
  type BodyBudget,
  createFairShare,
  type Logger,
  noRoom,
  traced,
  translateListenError,
} from "@touchstone/service-kit";
import type { KeyCache, KeyOwner } from "../credentials/key-cache.ts";
import { readPresentedKey } from "../credentials/presented-key.ts";
import type { DrainBounds } from "../http/drain-server.ts";
import type { ProxyToOwner } from "../http/proxy.ts";
import type { IngestWatch } from "../ingest-health/ingest-watch.ts";
import type { RateLimits } from "../limits/rate-limits.ts";
import type { SpentQuotas } from "../limits/spent-quotas.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { countMessage, limitReading, onceClosed } from "./count-message.ts";
import { type HttpRefusal, refusalOf, toGrpcStatus } from "./grpc-status.ts";
import { type OtlpService, otlpServices } from "./otlp-services.ts";

export interface GrpcListenerOptions {
  keys: KeyCache;
  rateLimits: RateLimits;
  spentQuotas: SpentQuotas;
  ingestWatch: IngestWatch;
  proxy: ProxyToOwner;
  /** Largest message, before and after inflation. */
  messageMaxBytes: number;
  /** Bounds the messages in memory, as they are read. */
  bodies: BodyBudget;
  /** The time limit for the arrival of a message, and for its client to read the answer. */
  requestTimeoutMs: number;
  metrics: GatewayMetrics;
  logger: Logger;
  drain: DrainBounds;
}

export interface GrpcListener {
  /** Returns the port. Throws a StartError if it is in use. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Sends GOAWAY to clients and finishes running calls; after the drain's time limit they are cancelled. */
  stop(): Promise<void>;
}

/** Concurrent exports of one project: a message is held whole, and 64 of the usual size are little. */
const callsMax = 64;
/** Exports of all projects. */
const allCallsMax = callsMax * 1.5;

/** Serves OTLP over gRPC: the same checks and forwarding, with gRPC's status codes (otlp 3). */
export function createGrpcListener(options: GrpcListenerOptions): GrpcListener {
  const { ingestWatch, logger } = options;
  const admission = createAdmission(options);
  const server = new Server({
    "grpc.max_receive_message_length": options.messageMaxBytes,
    "grpc.max_concurrent_streams": callsMax,
    "grpc.keepalive_time_ms": 60_000,
    "grpc.max_connection_idle_ms": 600_000,
    interceptors: [checkAtTheDoor],
  });
  for (const service of otlpServices) server.addService(service.definition, { Export: exportHandler(service) });

  function checkAtTheDoor(
    method: Parameters<ServerInterceptor>[0],
    call: Parameters<ServerInterceptor>[1],
  ): ServerInterceptingCall {
    const startedMs = performance.now();
    const route = otlpServices.find(({ definition }) => definition.Export?.path === method.path)?.route;
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        if (route === undefined) return next(metadata);
        let caller: KeyOwner | null = null;
        const refuse = (thrown: unknown): void => {
          const refusal = refusalOf(thrown);
          const projectId = caller?.projectId ?? null;
          ingestWatch.refused(route, { projectId, headers: headersOf(metadata) }, thrown);
          note({ route, caller, startedMs, status: refusal.status }, options);
          call.sendStatus(toGrpcStatus(refusal));
        };
        admission.admit(route, metadata, call.getPeer()).then((owner) => {
          caller = owner;
          const share = options.bodies.open((obstacle) => noRoom(route.owner, route.envelope, obstacle), owner);
          onceClosed(call, () => {
            share.release();
            admission.release(owner);
          });
          const { messageMaxBytes: maxBytes, requestTimeoutMs: arrivalMs } = options;
          countMessage(call, { share, maxBytes, arrivalMs, refuse });
          next(metadata);
        }, refuse);
      })
      .build();
    return new ServerInterceptingCall(call, {
      start: (next) => next(listener),
      sendMessage(answer, next) {
        limitReading(call, options.requestTimeoutMs);
        next(answer);
      },
    });
  }

  function exportHandler({ route }: OtlpService): handleUnaryCall<Buffer, Buffer> {
    return (call, answer) => {
      const startedMs = performance.now();
      const gone = new AbortController();
      call.once("cancelled", () => gone.abort(new Error("the client is gone")));
      const caller = admission.callerOf(call.metadata);
      const refuse = (thrown: unknown): HttpRefusal => {
        const refusal = refusalOf(thrown);
        if (!gone.signal.aborted) {
          ingestWatch.refused(route, { projectId: caller?.projectId ?? null, headers: {} }, thrown);
          logger.warn({ operation: route.id, err: thrown }, "request refused");
        }
        return refusal;
      };
      traced({ service: "gateway", name: route.id, kind: "server", parent: "new" }, async (step) => {
        const asked = { caller, message: call.request, signal: gone.signal };
        const result = await exportMessage(options.proxy, route, asked).catch(refuse);
        step?.answered(statusOf(result));
        return result;
      }).then((result) => {
        note({ route, caller, startedMs, status: statusOf(result) }, options);
        if (Buffer.isBuffer(result)) answer(null, result);
        else answer(toGrpcStatus(result));
      });
    };
  }

  return {
    listen({ host, port }) {
      const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
      return new Promise((resolve, reject) => {
        server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
          if (error === null) resolve(bound);
          else reject(translateListenError(withCode(error), port, "SERVICE_OTLP_GRPC_PORT"));
        });
      });
    },
    async stop() {
      const cut = setTimeout(() => server.forceShutdown(), options.drain.drainMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(cut);
    },
  };
}

interface Admission {
  /**
   * A message is read only after the caller passed all checks, in the order of the HTTP edge. The call then counts until
   * it is released, when its stream is closed.
   */
  admit(route: Route, metadata: Metadata, peer: string): Promise<KeyOwner>;
  /** The admitted caller of a call; null if there is none. */
  callerOf(metadata: Metadata): KeyOwner | null;
  release(owner: KeyOwner): void;
}

function createAdmission({ keys, rateLimits, spentQuotas }: GrpcListenerOptions): Admission {
  const callers = new WeakMap<Metadata, KeyOwner>();
  const calls = createFairShare({ total: allCallsMax });

  return {
    async admit(route, metadata, peer) {
      const counted = await rateLimits.count(route.rateGroup, subjectOf(peer));
      if (counted?.isOver) {
        throw new AppError("rate_limited", "Too many requests", { retryAfterSeconds: counted.resetSeconds });
      }
      const apiKey = readPresentedKey(headersOf(metadata), route.authentication);
      const owner = apiKey === null ? null : await keys.resolve(apiKey);
      if (owner === null) throw new AppError("unauthorized", "Invalid or missing API key");
      spentQuotas.check(owner.projectId, route);
      if (calls.obstacleTo(owner, 1) !== null)
        throw new AppError("queue_full", "Too many exports are in progress; retry.");
      // At once, so that calls which begin together count one another.
      calls.hold(owner, 1);
      callers.set(metadata, owner);
      return owner;
    },
    callerOf: (metadata) => callers.get(metadata) ?? null,
    release: (owner) => calls.hold(owner, -1),
  };
}

async function exportMessage(
  proxy: ProxyToOwner,
  route: Route,
  { caller, message, signal }: { caller: KeyOwner | null; message: Buffer; signal: AbortSignal },
): Promise<Buffer | HttpRefusal> {
  if (caller === null) throw new AppError("unauthorized", "Invalid or missing API key");
  const answer = await proxy({
    route,
    target: route.path,
    headers: { "content-type": "application/x-protobuf" },
    body: message,
    caller,
    requestId: randomUUID(),
    signal,
  });
  const body = Buffer.from(await answer.body.arrayBuffer());
  if (answer.status === 200) return body;
  const after = Number(answer.headers["retry-after"]);
  return { status: answer.status, retryAfterSeconds: after > 0 ? after : null, body: parse(body) };
}

/** The one log line and measurement of a call. `status` is that of the same answer over HTTP. */
function note(
  { route, caller, startedMs, status }: { route: Route; caller: KeyOwner | null; startedMs: number; status: number },
  { metrics, logger }: GrpcListenerOptions,
): void {
  const durationMs = performance.now() - startedMs;
  metrics.observe({ method: "gRPC", route: route.id, status, durationMs });
  logger.info(
    {
      operation: route.id,
      method: "gRPC",
      projectId: caller?.projectId ?? null,
      outcome: status === 200 ? "ok" : "refused",
      status,
      durationMs: Math.round(durationMs * 100) / 100,
    },
    "request answered",
  );
}

/** The status of the same answer over HTTP. */
function statusOf(result: Buffer | HttpRefusal): number {
  return Buffer.isBuffer(result) ? 200 : result.status;
}

function headersOf(metadata: Metadata): Record<string, string> {
  const entries = ["x-api-key", "authorization"].map((name) => [name, metadata.get(name)[0]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** The peer has the form `address:port`. */
function subjectOf(peer: string): string {
  const address = peer.slice(0, Math.max(0, peer.lastIndexOf(":"))).replace(/^\[|\]$/g, "");
  return addressSubjectOf(address, address);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return {};
  }
}

/** The library reports a failed bind only as text. */
function withCode(error: Error): Error {
  return error.message.includes("EADDRINUSE") ? Object.assign(error, { code: "EADDRINUSE" }) : error;
}
