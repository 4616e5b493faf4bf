import type { FastifyReply } from "fastify";

const exposedHeaders = "retry-after, ratelimit, ratelimit-policy, x-request-id, x-touchstone-warning";
const allowedHeaders = "authorization, content-encoding, content-type, x-api-key, x-project-id";

/**
 * Lets pages of a trusted origin read the answer (otlp 1: browser exporters). Cookies are allowed only on routes that
 * accept them.
 */
export function allowOrigin(reply: FastifyReply, origin: string, mightUseSession: boolean): void {
  if (mightUseSession) reply.header("access-control-allow-credentials", "true");
  reply
    .header("access-control-allow-origin", origin)
    .header("access-control-expose-headers", exposedHeaders)
    .header("vary", "origin");
}

/** Answers a CORS preflight request. */
export function answerPreflight(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  return reply
    .code(204)
    .header("access-control-allow-methods", methods.join(", "))
    .header("access-control-allow-headers", allowedHeaders)
    .header("access-control-max-age", "600")
    .send();
}
