import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  clockHeader,
  drainingHeader,
  isReadAsItComes,
  limits,
  type RouteEnvelope,
  requestIdHeader,
  type ServiceName,
} from "@touchstone/contracts";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { holdAnswer, renderFailure } from "./answer.ts";
import { type AnswerRequest, createAnswerRequest, tenantOf } from "./answer-request.ts";
import { AnswerRoom, createAnswerBudget } from "./answer-room.ts";
import { AppError } from "./app-error.ts";
import { type BodyBudget, createBodyBudget } from "./body-budget.ts";
import { createCall } from "./call.ts";
import type { Clock } from "./clock.ts";
import { trackConnections } from "./connections.ts";
import { drain } from "./drain.ts";
import type { FairShare } from "./fair-share.ts";
import { createLastingPlaces } from "./lasting-places.ts";
import type { LocalAnswer, LocalCalls, LocalRequest } from "./local-calls.ts";
import { createLocalRoutes, type LocalRoutes } from "./local-routes.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import { tooMuchToSend } from "./no-room.ts";
import type { PassedStream } from "./pass-stream.ts";
import { readBody } from "./read-body.ts";
import { readQuery } from "./read-query.ts";
import { renderError } from "./render-error.ts";
import { sendAnswer, streamAnswer } from "./send-answer.ts";
import { prepareRoute, type ServedRoute, type ServingRoute } from "./served-route.ts";
import { signalGone } from "./signal-gone.ts";
import type { StreamPlace } from "./stream-places.ts";
import type { Tenants } from "./tenants.ts";
import { watchArrival } from "./watch-arrival.ts";
import { watchBodyBudget } from "./watch-body-budget.ts";
import { watchShares } from "./watch-shares.ts";

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
  const { service } = options;
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
  const server: RunningServer = {
    service,
    logger: options.logger,
    app,
    answers,
    places,
    streams: new Set(),
    localRoutes: createLocalRoutes(),
    answerRequest: createAnswerRequest({ ...options, bodies }),
    state: "serving",
  };
  let listensOn: string | null = null;

  const announceDrain = (reply: FastifyReply): void => {
    if (server.state !== "serving") reply.header("connection", "close").header(drainingHeader, "1");
  };
  app.addHook("onRequest", async (request, reply) => {
    reply.header(requestIdHeader, request.id);
    announceDrain(reply);
    const isDismissed = connections.isDismissed(request.raw.socket);
    if (isDismissed || server.state === "refusing") connections.refuse(request.raw, reply.hijack().raw);
  });
  app.addHook("onSend", async (_request, reply) => announceDrain(reply));
  app.setNotFoundHandler((request, reply) => {
    sendError(server, request, reply, new AppError("route_not_found", "Not found"), "standard");
  });
  app.setErrorHandler((thrown, request, reply) => {
    sendError(server, request, reply, translateFrameworkError(thrown), "standard");
  });
  servePlatform(server, options);
  for (const served of options.routes) serveRoute(server, prepareRoute(served));

  return {
    async listen(address) {
      listensOn = await app.listen(address);
      options.localCalls?.offer(listensOn, (request) => answerLocally(server, request));
      return listensOn;
    },
    async stop() {
      server.state = "draining";
      if (listensOn !== null) options.localCalls?.withdraw(listensOn);
      for (const stream of server.streams) if (stream.isEvents) stream.end();
      await drain(app, connections, {
        drainMs: options.drainMs ?? drainDefaultMs,
        startRefusing: () => {
          server.state = "refusing";
        },
      });
    },
  };
}

/** What the routes of a server share. */
interface RunningServer {
  service: ServiceName;
  logger: Logger;
  app: FastifyInstance;
  /** The memory for answers. */
  answers: BodyBudget;
  places: ReturnType<typeof createLastingPlaces>;
  /** The streams that are open. */
  streams: Set<PassedStream>;
  /** Null for a route that is asked over HTTP only. */
  localRoutes: LocalRoutes<ServingRoute | null>;
  answerRequest: AnswerRequest;
  state: "serving" | "draining" | "refusing";
}

function servePlatform(server: RunningServer, { readiness, clock, metrics }: HttpServerOptions): void {
  const { app } = server;
  app.get("/health/live", async () => ({ status: "ok" }));
  app.get("/health/ready", async (_request, reply) => {
    const asked = await readiness();
    const ready = asked.ready && server.state === "serving";
    const checks = server.state === "serving" ? asked.checks : { ...asked.checks, process: "stopping" };
    reply.header(clockHeader, clock.now());
    return reply.code(ready ? 200 : 503).send({ status: ready ? "ready" : "not_ready", checks });
  });
  app.get("/metrics", async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}

function serveRoute(server: RunningServer, serving: ServingRoute): void {
  const { service, app, answers, places } = server;
  const { route, envelope, maxBytes } = serving;
  const readsAsItComes = "responses" in route && isReadAsItComes(route);
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    // A caller that stops in the middle of a body is disconnected; otherwise the connection would stay open
    // indefinitely.
    onRequest: async ({ raw }) =>
      watchArrival(raw, { arrivalMs, isReadAsItComes: readsAsItComes }, () => raw.socket.destroy()),
    errorHandler: (thrown, request, reply) =>
      sendError(server, request, reply, translateFrameworkError(thrown), envelope),
    handler: async (request, reply) => {
      const { method, url: path, headers, id: requestId } = request;
      const room = new AnswerRoom(answers, () => tooMuchToSend(service));
      reply.raw.once("close", () => room.release());
      if (reply.raw.destroyed) room.release();
      const asked = { method, path, headers, requestId };
      const taken: { place: StreamPlace | null } = { place: null };
      const answer = await server.answerRequest(serving, asked, room, async (identity, share) => {
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
        keepStream(server, streamAnswer(reply, answer, answer.body), reply, taken.place);
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
  server.localRoutes.add(route.method, route.path, isLocal ? serving : null);
}

/** Null for what is better asked over HTTP: other routes, a body that is too large, a server that stops. */
function answerLocally(
  { service, answers, localRoutes, answerRequest, state }: RunningServer,
  { method, path, headers, identity: handedOver, body, signal }: LocalRequest,
): Promise<LocalAnswer> | null {
  const question = path.indexOf("?");
  const found = localRoutes.find(method, question < 0 ? path : path.slice(0, question));
  if (found === null || found.route === null) return null;
  const { route: serving, params } = found;
  if (body.length > serving.maxBytes || state !== "serving") return null;
  const requestId = String(headers[requestIdHeader] ?? randomUUID());
  const room = new AnswerRoom(answers, () => tooMuchToSend(service));
  return answerRequest(serving, { method, path, headers, requestId, handedOver }, room, async (identity, share) => {
    await share.enter(body.length);
    return createCall({ ...serving, identity, params, query: readQuery(path), headers, body, share, room, signal });
  }).then((answer) => {
    // For what is whole the caller makes room.
    if (answer.body instanceof Readable) answer.body.once("close", () => room.release());
    else room.release();
    return holdAnswer(answer);
  });
}

function keepStream(server: RunningServer, stream: PassedStream, reply: FastifyReply, place: StreamPlace | null): void {
  server.streams.add(stream);
  place?.fill(stream);
  reply.raw.once("close", () => {
    server.streams.delete(stream);
    place?.leave();
  });
  if (server.state !== "serving" && stream.isEvents) stream.end();
}

function sendError(
  { logger }: RunningServer,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  envelope: RouteEnvelope,
): void {
  const failure = renderError(thrown, envelope, request.method);
  if (failure.isBug) logger.error({ err: thrown }, "request failed unexpectedly");
  const answer = renderFailure(failure, envelope, request.headers);
  sendAnswer(reply, answer, answer.body);
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
