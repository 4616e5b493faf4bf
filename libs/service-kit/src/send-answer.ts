import type { OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { InternalRoute, Route } from "@touchstone/contracts";
import type { FastifyReply } from "fastify";
import type { RenderedAnswer } from "./answer.ts";
import { type PassedStream, passStream } from "./pass-stream.ts";
import { Pieces } from "./pieces.ts";

/** The memory of a stream: one page of rows, and pieces of it. The gateway limits the number of long streams. */
const streamBytes = 4 * 1024 * 1024;

/** Bytes of memory that an answer occupies until it is sent. */
export function bytesOf(route: Route | InternalRoute, body: RenderedAnswer["body"]): number {
  if (body instanceof Readable) return "streaming" in route ? 0 : streamBytes;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Pieces ? body.bytes : (body?.length ?? 0);
}

/** Sends a stream as fast as its reader reads. */
export function streamAnswer(reply: FastifyReply, answer: RenderedAnswer, body: Readable): PassedStream {
  writeHead(reply, answer).hijack();
  return passStream(reply.raw, body, {
    status: answer.status,
    headers: reply.getHeaders() as OutgoingHttpHeaders,
  });
}

export function sendAnswer(
  reply: FastifyReply,
  answer: RenderedAnswer,
  body: string | Buffer | Pieces | undefined,
): FastifyReply {
  return writeHead(reply, answer).send(body instanceof Pieces ? body.join() : body);
}

function writeHead(reply: FastifyReply, { status, headers, contentType }: RenderedAnswer): FastifyReply {
  reply.code(status).headers(headers);
  return contentType === null ? reply : reply.type(contentType);
}
