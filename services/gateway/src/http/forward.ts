import type { IncomingHttpHeaders } from "node:http";
import type { Route, ServiceName } from "@touchstone/contracts";
import { AppError, type HopAnswer, type InternalClient, type Logger } from "@touchstone/service-kit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answerer } from "./edge.ts";
import { noBody, type RequestBody, readRequestBody } from "./request-body.ts";
import { targetOf } from "./route-table.ts";

/**
 * What goes on to a service, and what comes back. Both are lists of what is meant to pass: a client can neither set an
 * identity nor make a key travel further than this process.
 */
const passedOn = ["accept", "content-type", "content-encoding", "user-agent", "traceparent", "tracestate"];
const passedBack = ["content-type", "content-encoding", "content-disposition", "cache-control", "retry-after", "vary"];

/** An answer up to here is read whole before it is passed back: one that breaks off can still become a 503. */
const bufferedMaxBytes = 1024 * 1024;

export interface ForwardOptions {
  clients: Readonly<Partial<Record<ServiceName, InternalClient>>>;
  bodyMaxBytes: (route: Route) => number;
  requestTimeoutMs: number;
  logger: Logger;
}

/** Passes requests on to the service that owns the route, as bytes, under a signed identity, within its deadline. */
export function createForward({ clients, bodyMaxBytes, requestTimeoutMs, logger }: ForwardOptions): Answerer {
  return async (route, request, reply) => {
    const client = clients[route.owner];
    if (client === undefined) throw new Error(`no client for ${route.owner}`);
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort(new Error("the client is gone"));
    });
    let body = noBody;
    try {
      if (route.body !== undefined) body = await readRequestBody(request.raw, bodyMaxBytes(route));
      const answer = await client.forward({
        method: route.method,
        path: targetOf(route, request.url),
        headers: pick(request.headers, passedOn),
        body: body.content,
        claims: claimsOf(request),
        // The hop of a stream lasts as long as the client sends, which is bounded by itself.
        deadlineMs: isStream(body.content) ? route.deadlineMs + requestTimeoutMs : route.deadlineMs,
        signal: gone.signal,
      });
      if (answer.status === 401) {
        await answer.body.dump();
        logger.error({ operation: route.id, owner: route.owner }, "a service refused the gateway's identity");
        throw new AppError("service_unavailable", `The ${route.owner} service is not reachable; retry.`);
      }
      // Why is in the service's log, under the same request id.
      if (answer.status >= 400 && request.passage) request.passage.outcome = "refused_by_service";
      return await passBack(answer, route.owner, reply);
    } catch (thrown) {
      // Nobody is left to answer.
      if (gone.signal.aborted || request.socket.destroyed) return reply.hijack();
      throw thrown;
    } finally {
      body.discardRest();
    }
  };
}

function isStream(content: RequestBody["content"]): boolean {
  return content !== undefined && !Buffer.isBuffer(content);
}

function claimsOf(request: FastifyRequest) {
  const caller = request.passage?.caller ?? null;
  return {
    projectId: caller?.projectId ?? null,
    organizationId: caller?.organizationId ?? null,
    userId: null,
    role: caller === null ? null : ("key" as const),
    requestId: request.id,
  };
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string") picked[name] = value;
  }
  return picked;
}

async function passBack({ status, headers, body }: HopAnswer, owner: ServiceName, reply: FastifyReply) {
  reply.code(status).headers(pick(headers, passedBack));
  const length = headers["content-length"];
  if (length === undefined || Number(length) > bufferedMaxBytes) {
    if (length !== undefined) reply.header("content-length", length);
    return reply.send(body);
  }
  const whole = await body.arrayBuffer().catch((cause) => {
    throw new AppError("service_unavailable", `The ${owner} service broke off its answer; retry.`, { cause });
  });
  return reply.send(whole.byteLength === 0 ? undefined : Buffer.from(whole));
}
