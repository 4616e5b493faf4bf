import type { Identity, InternalRoute, Route } from "@touchstone/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "./app-error.ts";
import { inflateBody } from "./inflate-body.ts";
import { parseJsonBody } from "./json.ts";

/** One request as a handler sees it. */
export interface Call {
  /** Verified: who asks, for which project. */
  identity: Identity;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | string[] | undefined>>;
  headers: FastifyRequest["headers"];
  /** The body as it came in, still encoded; empty when there is none. */
  rawBody: Buffer;
  /** The body without its content encoding, at most the route's `maxBytes`. */
  body(): Promise<Buffer>;
  /** The body parsed as JSON; `undefined` when an optional body was left out. */
  json(): Promise<unknown>;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
}

interface CallOptions {
  request: FastifyRequest;
  reply: FastifyReply;
  identity: Identity;
  route: Route | InternalRoute;
  maxBytes: number;
}

/** Wraps a request whose identity was verified. */
export function createCall({ request, reply, identity, route, maxBytes }: CallOptions): Call {
  const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const isOptional = "responses" in route && route.body?.required === false;
  const abort = new AbortController();
  // On the answer, not on the socket: that one lives for thousands of requests and would keep a listener of each.
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) abort.abort();
  });
  const body = () => inflateBody(rawBody, request.headers["content-encoding"], maxBytes);
  return {
    identity,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | string[] | undefined>,
    headers: request.headers,
    rawBody,
    body,
    async json() {
      if (isOptional && rawBody.length === 0) return undefined;
      requireJson(request.headers["content-type"]);
      return parseJsonBody(await body());
    },
    signal: abort.signal,
  };
}

/** JSON routes take `application/json`, in UTF-8 or unstated; anything else is 415 (interface: Errors). */
export function requireJson(contentType: string | undefined): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json") {
    throw new AppError(
      "unsupported_media_type",
      `Content-Type must be application/json (received ${JSON.stringify((contentType ?? "none").slice(0, 100))}).`,
    );
  }
  for (const parameter of parameters) {
    const [name, value = ""] = parameter.split("=");
    if (name?.trim() === "charset" && !["utf-8", "utf8"].includes(value.trim().replaceAll('"', ""))) {
      throw new AppError("unsupported_media_type", `unsupported charset "${value.trim().slice(0, 40)}"`);
    }
  }
}
