import { randomUUID } from "node:crypto";
import { limits, requestIdHeader } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import Fastify, { type FastifyInstance } from "fastify";
import type { AnswerHeaders } from "./answer-headers.ts";
import type { BrokenRequests } from "./broken-request.ts";
import type { TrustedProxies } from "./client-address.ts";
import { sendRefusal } from "./send-refusal.ts";

export interface EdgeServerOptions {
  answerHeaders: AnswerHeaders;
  trustedProxies: TrustedProxies;
  headersTimeoutMs: number;
  connectionsMax: number;
}

/** Fastify with the limits of the edge; it parses no body. */
export function createEdgeServer(options: EdgeServerOptions, brokenRequests: BrokenRequests): FastifyInstance {
  const { trustedProxies } = options;
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    // Fastify reads a plain number as "trust no proxy"; the hops have to be counted here.
    trustProxy:
      typeof trustedProxies === "object" && "hops" in trustedProxies
        ? (_address, hop) => hop < trustedProxies.hops
        : Array.isArray(trustedProxies)
          ? [...trustedProxies]
          : trustedProxies === true,
    // Only for the head; bodies have separate timeouts.
    http: {
      maxHeaderSize: limits.requestHeadMaxBytes,
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(options.headersTimeoutMs / 4, 5_000),
    },
    // Longer than clients and load balancers keep connections, so that the other side closes them (otlp 1).
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    clientErrorHandler: brokenRequests.refuse,
    // An address that cannot be decoded, or has an overlong parameter, is unknown.
    frameworkErrors(_error, request, reply) {
      reply.header(requestIdHeader, request.id).headers(options.answerHeaders);
      sendRefusal(new AppError("route_not_found", "Not found"), { route: null, request, reply });
    },
    routerOptions: { maxParamLength: 1024 },
  });
  app.server.maxConnections = options.connectionsMax;
  app.decorateRequest("passage", null);
  // Bodies are forwarded unread: whatever the type, the handler gets the socket.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return app;
}
