import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { limits, type RouteEnvelope, warningHeader } from "@touchstone/contracts";
import type { LocalAnswer } from "./local-calls.ts";
import { Pieces } from "./pieces.ts";
import type { RenderedError } from "./render-error.ts";
import { encodeRpcStatus, prefersRpcStatus } from "./rpc-status.ts";

/**
 * A handler's result. A string, Buffer, stream or {@link Pieces} are sent unchanged, under `contentType`. A stream that
 * fails after the answer has begun breaks the connection, so that the client can see that the answer is incomplete.
 */
export interface Answer {
  status: number;
  body?: unknown;
  contentType?: string;
  /** Only cookies have several values. */
  headers?: Record<string, string | string[]>;
}

/** An answer as it is sent. */
export interface RenderedAnswer<Body = string | Buffer | Pieces | Readable | undefined> {
  status: number;
  headers: Record<string, string | string[]>;
  /** Null without a body. */
  contentType: string | null;
  body: Body;
}

const jsonType = "application/json; charset=utf-8";

/** A handler's result in the form it is sent, with its warning. */
export function renderAnswer(
  { status, contentType = jsonType, body, ...rest }: Answer,
  warning: string | null,
): RenderedAnswer {
  const headers = { ...rest.headers, ...(warning !== null && { [warningHeader]: warning }) };
  if (typeof body === "string") return { status, headers, contentType, body: encode(body) };
  if (Buffer.isBuffer(body) || body instanceof Pieces || body instanceof Readable) {
    return { status, headers, contentType, body };
  }
  if (body === undefined) return { status, headers, contentType: null, body };
  return { status, headers, contentType: jsonType, body: encode(JSON.stringify(body)) };
}

/** A long text is encoded once: to be measured, and to be sent. */
function encode(text: string): string | Buffer {
  return text.length > limits.smallBodyMaxBytes ? Buffer.from(text) : text;
}

/** JSON, except for an OTLP caller that reads refusals only as a protobuf `google.rpc.Status` (otlp 2). */
export function renderFailure(
  { status, headers, body }: RenderedError,
  envelope: RouteEnvelope,
  asked: IncomingHttpHeaders,
): RenderedAnswer<string | Buffer> {
  if (envelope === "otlp" && prefersRpcStatus(asked)) {
    const rpcStatus = encodeRpcStatus(status, String(body.message ?? body.error));
    return { status, headers, contentType: "application/x-protobuf", body: rpcStatus };
  }
  return { status, headers, contentType: jsonType, body: JSON.stringify(body) };
}

/** The same answer to a caller in this process, with the headers that HTTP would add. */
export function holdAnswer({ status, headers, contentType, body }: RenderedAnswer): LocalAnswer {
  const typed = { ...headers, ...(contentType !== null && { "content-type": contentType }) };
  if (body instanceof Readable) return { status, headers: typed, body };
  const held = body instanceof Pieces ? body : new Pieces([Buffer.isBuffer(body) ? body : Buffer.from(body ?? "")]);
  return { status, headers: { ...typed, "content-length": String(held.bytes) }, body: held };
}
