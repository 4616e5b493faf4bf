import type { Route } from "@touchstone/contracts";
import { encodeRpcStatus, prefersRpcStatus, type RenderedError, renderError } from "@touchstone/service-kit";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Answers a request that the gateway refuses, in the envelope of its route (interface: Errors). On the OTLP routes a
 * caller that does not accept JSON gets a protobuf `google.rpc.Status` (otlp 2). The clients of Langfuse also read the
 * refusals of unknown addresses below theirs. Returns what was sent, for the log.
 */
export function sendRefusal(
  thrown: unknown,
  { route, request, reply }: { route: Route | null; request: FastifyRequest; reply: FastifyReply },
): RenderedError {
  const envelope = route?.envelope ?? (request.url.startsWith("/api/public/") ? "langfuse" : "standard");
  const refusal = renderError(thrown, envelope, route?.method ?? request.method);
  reply.code(refusal.status).headers(refusal.headers);
  if (envelope === "otlp" && prefersRpcStatus(request.headers)) {
    const { message, error } = refusal.body;
    reply.type("application/x-protobuf").send(encodeRpcStatus(refusal.status, String(message ?? error)));
  } else {
    reply.type("application/json; charset=utf-8").send(JSON.stringify(refusal.body));
  }
  return refusal;
}
