import type { IncomingHttpHeaders } from "node:http";
import {
  isReadAsItComes,
  type Route,
  requestIdHeader,
  type SettingName,
  warningHeader,
  workspaceIgnored,
} from "@touchstone/contracts";
import {
  AppError,
  type Logger,
  translateFrameworkError,
  translateListenError,
  watchArrival,
} from "@touchstone/service-kit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addressOf } from "../caller.ts";
import type { IngestWatch } from "../ingest-health/ingest-watch.ts";
import type { RateCount, RateLimits } from "../limits/rate-limits.ts";
import type { SpentQuotas } from "../limits/spent-quotas.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { refuseBodyByHeaders } from "./body-refusal.ts";
import { createBrokenRequests } from "./broken-request.ts";
import { type CallerOrigin, refuseOtherSites } from "./caller-origin.ts";
import { allowOrigin, answerPreflight } from "./cross-origin.ts";
import { type DrainBounds, drainServer } from "./drain-server.ts";
import { createEdgeServer, type EdgeServerOptions } from "./edge-server.ts";
import type { Identify } from "./identification.ts";
import { isOfApi, isPageRoute, pageAddresses } from "./page-route.ts";
import { openPassage, watchPassage, within } from "./passage.ts";
import { type Address, createMethodFinder } from "./route-table.ts";
import { sendRefusal } from "./send-refusal.ts";

/** Answers a request that passed every check of the edge. */
export type Answerer = (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The served dashboard. */
export interface Pages {
  /** Registers the file routes. */
  register(app: FastifyInstance): void;
  answer: Answerer;
}

export interface EdgeOptions extends EdgeServerOptions {
  addresses: readonly Address[];
  /** The setting of its port. */
  portSetting: SettingName;
  callerOrigin: CallerOrigin;
  rateLimits: RateLimits;
  identify: Identify;
  /** True if the configuration route shows the default project's key. */
  handsOutKey: boolean;
  /** True if a page may use a session on this route; never in default mode. */
  mightUseSession: (route: Route) => boolean;
  /** Called before a request is answered that may have ended or changed a session. */
  sessionChanged: (request: FastifyRequest) => void;
  spentQuotas: SpentQuotas;
  ingestWatch: IngestWatch;
  /** Answers the gateway's own routes. */
  answerOwn: Answerer;
  /** Answers the routes of other services. */
  forward: Answerer;
  /** The dashboard; null if none is served. */
  pages: Pages | null;
  bodyMaxBytes: (route: Route) => number;
  metrics: GatewayMetrics;
  logger: Logger;
  requestTimeoutMs: number;
  drain: DrainBounds;
}

export interface Edge {
  /** Listens and returns the address. Throws a StartError if the port is in use. */
  listen(address: { host: string; port: number }): Promise<string>;
  /**
   * Answers with `Connection: close` from now on, stops listening, and finishes running requests; see {@link
   * DrainBounds}.
   */
  stop(): Promise<void>;
}

/** The only public listener. */
export function createEdge(options: EdgeOptions): Edge {
  const { addresses, callerOrigin, rateLimits, answerHeaders, logger } = options;
  const brokenRequests = createBrokenRequests(answerHeaders);
  const app = createEdgeServer(options, brokenRequests);
  const methodsOf = createMethodFinder(addresses);
  let draining = false;

  /** The order of checks (completions 0.3): early refusals cost least and reveal least. */
  app.addHook("onRequest", async (request, reply) => {
    const route = routeOf(request);
    const passage = openPassage(route, () => draining);
    request.passage = passage;
    watchPassage(passage, { request, reply }, options);
    reply.header(requestIdHeader, request.id).headers(answerHeaders);
    brokenRequests.remember(request.raw, reply.raw, (code) => {
      passage.refusedWithoutReply = code;
    });
    watchArrival(
      request.raw,
      { arrivalMs: options.requestTimeoutMs, isReadAsItComes: route !== null && isReadAsItComes(route) },
      () => brokenRequests.refuse(arrivedTooLate(), request.raw.socket),
    );

    const mightUseSession = route !== null && options.mightUseSession(route);
    const { protocol } = request;
    const foreignOrigin = callerOrigin.check(request.raw, { protocol, mightUseSession }); // 403
    if (foreignOrigin !== null) allowOrigin(reply, foreignOrigin, mightUseSession);
    if (route === null) return answerUnrouted(request, reply, { methodsOf, foreignOrigin }); // 404, 405
    if (options.handsOutKey && route.id === "getAuthConfig") refuseOtherSites(request.headers); // 403
    let byAddress = await countRequest(rateLimits, reply, route.rateGroup, addressOf(request), null); // 429
    if (route.addressRateGroup !== undefined) {
      byAddress = await countRequest(rateLimits, reply, route.addressRateGroup, addressOf(request), byAddress); // 429
    }
    Object.assign(passage, await within(passage, () => options.identify(route, request))); // 401, 503
    const projectId = passage.caller?.projectId ?? null;
    if (projectId !== null && route.keyRateGroup !== undefined && route.method === "POST") {
      // The documented limits per key are of POSTs (interface: Limits): polling a run is not limited.
      await countRequest(rateLimits, reply, route.keyRateGroup, projectId, byAddress); // 429
    }
    if (projectId !== null) options.spentQuotas.check(projectId, route); // 429
    if (route.body !== undefined) {
      refuseBodyByHeaders(route.body, request.headers, options.bodyMaxBytes(route)); // 413, 415
    } else {
      // An ignored body cannot have a wrong type; the framework would check it otherwise.
      delete request.raw.headers["content-type"];
    }
    if (namesOtherWorkspace(request.headers, projectId)) {
      if (!options.handsOutKey) throw new AppError("forbidden", "Unauthorized workspace access");
      passage.warning = workspaceIgnored;
      reply.header(warningHeader, workspaceIgnored);
    }
  });

  options.pages?.register(app);
  for (const { method, path, route } of options.pages === null ? addresses : [...addresses, ...pageAddresses]) {
    const answer = answererOf(route, options);
    app.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
      config: { contract: route },
      handler: (request, reply) => within(request.passage, () => answer(route, request, reply)),
    });
  }

  app.addHook("onSend", async (request, reply) => {
    const route = request.passage?.route;
    // Auth may have ended the session, or changed its roles.
    if (route?.owner === "auth" && route.method !== "GET") options.sessionChanged(request);
    if (draining) reply.header("connection", "close");
  });

  app.setErrorHandler((raised, request, reply) => {
    const thrown = translateFrameworkError(raised);
    const { route = null, caller = null } = request.passage ?? {};
    const refusal = sendRefusal(thrown, { route, request, reply });
    if (request.passage) request.passage.outcome = refusal.code;
    if (route !== null) {
      const { headers } = request;
      options.ingestWatch.refused(route, { projectId: caller?.projectId ?? null, headers }, thrown);
    }
    const facts = { operation: route?.id ?? null, requestId: request.id, err: thrown };
    if (refusal.isBug) logger.error(facts, "request failed unexpectedly");
    else if (refusal.status >= 500) logger.warn(facts, "request refused");
  });

  return {
    async listen(address) {
      try {
        return await app.listen(address);
      } catch (thrown) {
        throw translateListenError(thrown, address.port, options.portSetting);
      }
    },
    async stop() {
      draining = true;
      await drainServer(app, options.drain);
    },
  };
}

/** Null for an unknown address. */
function routeOf({ routeOptions, params }: FastifyRequest): Route | null {
  const route = routeOptions.config.contract ?? null;
  if (route === null || !isPageRoute(route)) return route;
  return isOfApi(`/${(params as { "*": string })["*"]}`) ? null : route;
}

function answererOf(route: Route, { answerOwn, forward, pages }: EdgeOptions): Answerer {
  if (isPageRoute(route) && pages !== null) return pages.answer;
  return route.owner === "gateway" ? answerOwn : forward;
}

function arrivedTooLate(): Error & { code: string } {
  return Object.assign(new Error("the request did not arrive in time"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
}

function answerUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  { methodsOf, foreignOrigin }: { methodsOf: (path: string) => string[]; foreignOrigin: string | null },
): FastifyReply {
  const methods = methodsOf(request.url.split("?")[0] ?? "");
  if (methods.length === 0) throw new AppError("route_not_found", "Not found");
  if (request.method === "OPTIONS" && foreignOrigin !== null) return answerPreflight(reply, methods);
  reply.header("allow", methods.join(", "));
  throw new AppError("method_not_allowed", `This address takes ${methods.join(" and ")}, not ${request.method}.`);
}

/** Counts a request; of two limits the headers show the one with less left. */
async function countRequest(
  rateLimits: RateLimits,
  reply: FastifyReply,
  group: Parameters<RateLimits["count"]>[0],
  subject: string,
  shown: RateCount | null,
): Promise<RateCount | null> {
  const counted = await rateLimits.count(group, subject);
  if (counted === null) return shown;
  if (shown === null || counted.isOver || counted.remaining < shown.remaining) showRateLimit(reply, counted);
  if (!counted.isOver) return counted;
  throw new AppError("rate_limited", "Too many requests", { retryAfterSeconds: counted.resetSeconds });
}

/** Writes the draft-7 headers (completions 1.3). No known library writes this draft. */
function showRateLimit(reply: FastifyReply, { limit, windowSeconds, remaining, resetSeconds }: RateCount): void {
  reply
    .header("ratelimit-policy", `${limit};w=${windowSeconds}`)
    .header("ratelimit", `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`);
}

/**
 * True if `x-workspace-id` names another workspace than the key's project. Without accounts it is a leftover from another
 * system, and a warning helps a client that misses its traces.
 */
function namesOtherWorkspace(headers: IncomingHttpHeaders, projectId: string | null): boolean {
  const named = headers["x-workspace-id"];
  return projectId !== null && typeof named === "string" && named !== "" && named !== projectId && named !== "local";
}
