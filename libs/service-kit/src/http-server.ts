import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import {
  clockHeader,
  drainingHeader,
  type Identity,
  type InternalRoute,
  identityHeader,
  identityRefusedHeader,
  isReadAsItComes,
  limits,
  notTakenHeader,
  type Route,
  type RouteEnvelope,
  requestIdHeader,
  type ServiceName,
} from "@touchstone/contracts";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Answer, holdAnswer, type RenderedAnswer, renderAnswer, renderFailure } from "./answer.ts";
import { AnswerRoom, createAnswerBudget } from "./answer-room.ts";
import { AppError } from "./app-error.ts";
import { type BodyShare, createBodyBudget } from "./body-budget.ts";
import { type Call, createCall } from "./call.ts";
import type { Clock } from "./clock.ts";
import { createClockJudge } from "./compare-clocks.ts";
import { trackConnections } from "./connections.ts";
import { drain } from "./drain.ts";
import type { FairShare, Tenant } from "./fair-share.ts";
import { createIdentityVerifier } from "./internal-identity.ts";
import { createLastingPlaces } from "./lasting-places.ts";
import type { LocalAnswer, LocalCalls, LocalRequest } from "./local-calls.ts";
import { createLocalRoutes } from "./local-routes.ts";
import type { Logger } from "./logger.ts";
import { createCounter, createHistogram, type Metrics } from "./metrics.ts";
import { noRoom, tooMuchToSend } from "./no-room.ts";
import type { PassedStream } from "./pass-stream.ts";
import { readBody } from "./read-body.ts";
import { readQuery } from "./read-query.ts";
import { type RenderedError, renderError } from "./render-error.ts";
import { bytesOf, sendAnswer, streamAnswer } from "./send-answer.ts";
import { gaveUp, goneStatus, signalGone } from "./signal-gone.ts";
import type { StreamPlace } from "./stream-places.ts";
import type { Tenants } from "./tenants.ts";
import { traced } from "./tracing.ts";
import { watchArrival } from "./watch-arrival.ts";
import { watchBodyBudget } from "./watch-body-budget.ts";
import { watchShares } from "./watch-shares.ts";

export type Handler = (call: Call) => Promise<Answer>;

/** One route of a service: the contract and its handler. */
export interface ServedRoute {
  route: Route | InternalRoute;
  handle: Handler;
}

/** The state of a service's parts: `ok`, or a short reason that names no secret. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

export interface HttpServerOptions {
  service: ServiceName;
  routes: readonly ServedRoute[];
  rootSecret: string;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  /** How long a stop waits for open requests. Default 8 s. */
  drainMs?: number;
  /**
   * The memory for request bodies of one project; see {@link createBodyBudget}. Default `limits.otherBodiesMaxBytes`.
   */
  bodiesMaxBytes?: number;
  /** Learns the organizations of projects from requests. */
  tenants?: Tenants;
  /** Other resources that tenants share, by name, for metrics. */
  shares?: Readonly<Record<string, FairShare>>;
  /** The memory for answers that are being produced or sent. Default `limits.answersMaxBytes`. */
  answersMaxBytes?: number;
  /** Where a caller in the same process finds this server without a socket. */
  localCalls?: LocalCalls | undefined;
}

export interface HttpServer {
  /** Listens and returns the address, `http://host:port`. Port 0 selects a free one. */
  listen(address: { host: string; port: number }): Promise<string>;
  /**
   * From now on not ready; dismisses idle connections, ends server-sent events, finishes open requests under
   * `Connection: close`. Requests still open after `drainMs` are aborted.
   */
  stop(): Promise<void>;
}

/**
 * The HTTP server of a service behind the gateway. Serves only its own routes, only to callers whose signed identity
 * names this service, this method and this path, and that the route admits (decision 5). It also answers
 * `/health/live`, `/health/ready` and `/metrics`, for the platform.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { service, logger } = options;
  const bodies = createBodyBudget({ bytesMax: options.bodiesMaxBytes ?? limits.otherBodiesMaxBytes });
  const answers = createAnswerBudget({ bytesMax: options.answersMaxBytes ?? limits.answersMaxBytes });
  const measured = { service, metrics: options.metrics };
  watchBodyBudget({ bodies, answers }, measured);
  const places = createLastingPlaces(
    service,
    options.routes.map(({ route }) => route),
  );
  watchShares({ ...places.shares, ...bodies.shares, ...options.shares }, measured);
  const app = createFastify();
  const connections = trackConnections(app.server);
  const streams = new Set<PassedStream>();
  let state: "serving" | "draining" | "refusing" = "serving";
  let listensOn: string | null = null;
  const durations = createHistogram(options.metrics, "service_http_request_duration_seconds");
  const requests = createCounter(options.metrics, "service_http_requests_total");

  const announceDrain = (reply: FastifyReply): void => {
    if (state !== "serving") reply.header("connection", "close").header(drainingHeader, "1");
  };
  app.addHook("onRequest", async (request, reply) => {
    reply.header(requestIdHeader, request.id);
    announceDrain(reply);
    const isDismissed = connections.isDismissed(request.raw.socket);
    if (isDismissed || state === "refusing") connections.refuse(request.raw, reply.hijack().raw);
  });
  app.addHook("onSend", async (_request, reply) => announceDrain(reply));
  app.setNotFoundHandler((request, reply) => {
    sendError(request, reply, new AppError("route_not_found", "Not found"), "standard");
  });
  app.setErrorHandler((thrown, request, reply) => {
    sendError(request, reply, translateFrameworkError(thrown), "standard");
  });
  app.get("/health/live", async () => ({ status: "ok" }));
  app.get("/health/ready", async (_request, reply) => {
    const asked = await options.readiness();
    const ready = asked.ready && state === "serving";
    const checks = state === "serving" ? asked.checks : { ...asked.checks, process: "stopping" };
    reply.header(clockHeader, options.clock.now());
    return reply.code(ready ? 200 : 503).send({ status: ready ? "ready" : "not_ready", checks });
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(options.metrics.contentType).send(await options.metrics.metrics()),
  );

  const verify = createIdentityVerifier({ ...options, audience: service, noteClock: createClockJudge(options) });
  const localRoutes = createLocalRoutes<ServingRoute | null>();
  for (const { route, handle } of options.routes) {
    const serving: ServingRoute = {
      route,
      handle,
      admitted: "askedBy" in route ? route.askedBy : ["gateway", ...(route.alsoAskedBy ?? [])],
      envelope: "envelope" in route ? route.envelope : "standard",
      maxBytes: "responses" in route ? (route.body?.maxBytes ?? 0) : 1024 * 1024,
    };
    const { envelope, maxBytes } = serving;
    const readsAsItComes = "responses" in route && isReadAsItComes(route);
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      // A caller that stops in the middle of a body is disconnected; otherwise the connection would stay open
      // indefinitely.
      onRequest: async ({ raw }) =>
        watchArrival(raw, { arrivalMs, isReadAsItComes: readsAsItComes }, () => raw.socket.destroy()),
      errorHandler: (thrown, request, reply) => sendError(request, reply, translateFrameworkError(thrown), envelope),
      handler: async (request, reply) => {
        const { method, url: path, headers, id: requestId } = request;
        const room = new AnswerRoom(answers, () => tooMuchToSend(service));
        reply.raw.once("close", () => room.release());
        if (reply.raw.destroyed) room.release();
        const asked = { method, path, headers, requestId };
        const taken: { place: StreamPlace | null } = { place: null };
        const answer = await answerTraced(serving, asked, room, async (identity, share) => {
          taken.place = places.of(route)?.take(tenantOf(identity)) ?? null;
          return createCall({
            identity,
            route,
            maxBytes,
            params: request.params,
            query: readQuery(path),
            headers,
            body: readsAsItComes ? request.raw : await readBody(request.raw, { maxBytes, share }),
            share,
            room,
            signal: () => signalGone(reply),
          });
        });
        if (answer.body instanceof Readable && !reply.raw.destroyed) {
          keepStream(streamAnswer(reply, answer, answer.body), reply, taken.place);
          return reply;
        }
        taken.place?.leave();
        if (!(answer.body instanceof Readable)) return sendAnswer(reply, answer, answer.body);
        // The client has disconnected.
        answer.body.destroy();
        return reply.hijack();
      },
    });
    // Bodies and answers that last are for sockets: those come over HTTP.
    const isLocal = "responses" in route && !route.streaming && !readsAsItComes;
    localRoutes.add(route.method, route.path, isLocal ? serving : null);
  }

  /** The same as a step of the trace that the caller's `traceparent` names. */
  function answerTraced(serving: ServingRoute, ...asked: AskedWith): Promise<RenderedAnswer> {
    const [{ headers }] = asked;
    const parent = typeof headers.traceparent === "string" ? headers.traceparent : null;
    return traced({ service, name: serving.route.id, kind: "server", parent }, async (step) => {
      const answer = await answerRequest(serving, ...asked);
      step?.answered(answer.status);
      return answer;
    });
  }

  /** Everything about a request except how it arrived and how its answer is sent. */
  async function answerRequest(
    { route, handle, admitted, envelope }: ServingRoute,
    ...[{ method, path, headers, requestId, handedOver }, room, callOf]: AskedWith
  ): Promise<RenderedAnswer> {
    let startedMs = performance.now();
    let share: BodyShare | undefined;
    let projectId: string | null = null;
    let call: Call | undefined;
    let failure: RenderedError | null = null;
    let cause: unknown;
    let answer: RenderedAnswer;
    try {
      const identity = handedOver ?? verify(headers[identityHeader], { method, path });
      if (identity?.audience !== service || !admitted.includes(identity.issuer)) {
        throw new AppError("unauthorized", "This route needs a valid internal identity.", {
          internalHeaders: { [identityRefusedHeader]: "1", [notTakenHeader]: "1" },
        });
      }
      projectId = identity.projectId;
      options.tenants?.learn(identity);
      room.tenant = tenantOf(identity);
      share = bodies.open((obstacle) => noRoom(service, envelope, obstacle), room.tenant);
      call = await callOf(identity, share);
      startedMs = performance.now();
      answer = renderAnswer(await handle(call), call.warning);
      // A change is acknowledged, however large the answer.
      if (method === "GET") await room.settle(bytesOf(route, answer.body));
    } catch (thrown) {
      cause = thrown;
      room.release();
      failure = renderError(thrown, envelope, method);
      answer = renderFailure(failure, envelope, headers);
    } finally {
      share?.release();
    }
    const status = failure?.isBug && gaveUp(call, cause) ? goneStatus : answer.status;
    const durationMs = performance.now() - startedMs;
    const labels = { service, route: route.id, status: String(status) };
    durations.observe(labels, durationMs / 1000);
    requests.inc({ ...labels, method });
    const facts = {
      operation: route.id,
      requestId,
      projectId,
      outcome: status === goneStatus ? "client_gone" : (failure?.code ?? "ok"),
      status,
      durationMs: Math.round(durationMs * 100) / 100,
    };
    if (failure?.isBug && status >= 500) logger.error({ ...facts, err: cause }, "request failed unexpectedly");
    else if (failure !== null && status >= 500) logger.warn({ ...facts, err: cause }, "request refused");
    else logger.debug(facts, "request answered");
    return answer;
  }

  /** Null for what is better asked over HTTP: other routes, a body that is too large, a server that stops. */
  function answerLocally({
    method,
    path,
    headers,
    identity: handedOver,
    body,
    signal,
  }: LocalRequest): Promise<LocalAnswer> | null {
    const question = path.indexOf("?");
    const found = localRoutes.find(method, question < 0 ? path : path.slice(0, question));
    if (found === null || found.route === null) return null;
    const { route: serving, params } = found;
    if (body.length > serving.maxBytes || state !== "serving") return null;
    const requestId = String(headers[requestIdHeader] ?? randomUUID());
    const room = new AnswerRoom(answers, () => tooMuchToSend(service));
    return answerTraced(serving, { method, path, headers, requestId, handedOver }, room, async (identity, share) => {
      await share.enter(body.length);
      return createCall({ ...serving, identity, params, query: readQuery(path), headers, body, share, room, signal });
    }).then((answer) => {
      // For what is whole the caller makes room.
      if (answer.body instanceof Readable) answer.body.once("close", () => room.release());
      else room.release();
      return holdAnswer(answer);
    });
  }

  return {
    async listen(address) {
      listensOn = await app.listen(address);
      options.localCalls?.offer(listensOn, answerLocally);
      return listensOn;
    },
    async stop() {
      state = "draining";
      if (listensOn !== null) options.localCalls?.withdraw(listensOn);
      for (const stream of streams) if (stream.isEvents) stream.end();
      await drain(app, connections, {
        drainMs: options.drainMs ?? drainDefaultMs,
        startRefusing: () => {
          state = "refusing";
        },
      });
    },
  };

  function keepStream(stream: PassedStream, reply: FastifyReply, place: StreamPlace | null): void {
    streams.add(stream);
    place?.fill(stream);
    reply.raw.once("close", () => {
      streams.delete(stream);
      place?.leave();
    });
    if (state !== "serving" && stream.isEvents) stream.end();
  }

  function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown, envelope: RouteEnvelope): void {
    const failure = renderError(thrown, envelope, request.method);
    if (failure.isBug) logger.error({ err: thrown }, "request failed unexpectedly");
    const answer = renderFailure(failure, envelope, request.headers);
    sendAnswer(reply, answer, answer.body);
  }
}

/** The tenant of a request: its project, or its user if there is none. */
function tenantOf({ projectId, organizationId, userId }: Identity): Tenant {
  return { projectId: projectId ?? userId ?? "nobody", organizationId };
}

/** A route with values that are computed once. */
interface ServingRoute extends ServedRoute {
  admitted: readonly ServiceName[];
  envelope: RouteEnvelope;
  maxBytes: number;
}

/** A request, the memory for its answer, and what makes the call for the handler. */
type AskedWith = [
  request: IncomingRequest,
  room: AnswerRoom,
  callOf: (identity: Identity, share: BodyShare) => Promise<Call>,
];

interface IncomingRequest {
  method: string;
  /** With the query string. */
  path: string;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** The identity of a request from the same process; others have a signed one in a header. */
  handedOver?: Identity;
}

const drainDefaultMs = 8_000;

/** How long a request may take to arrive. */
const arrivalMs = 60_000;

function createFastify(): FastifyInstance {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    genReqId: (request) => (request.headers[requestIdHeader] as string | undefined) ?? randomUUID(),
    // Of the head; each route enforces a limit for its own body.
    http: { headersTimeout: arrivalMs, maxHeaderSize: limits.internalHeadMaxBytes },
    // Longer than the keep-alive of the gateway's pool, so that the pool is the one to close idle connections.
    keepAliveTimeout: 72_000,
    forceCloseConnections: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024 },
  });
  // A body is read only after its sender is known and memory is reserved.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  return app;
}

/** Fastify's own refusals, translated to our error table; anything else is returned unchanged. */
export function translateFrameworkError(thrown: unknown): unknown {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new AppError("unsupported_media_type", "The Content-Type header is not a media type.");
  }
  return thrown;
}
