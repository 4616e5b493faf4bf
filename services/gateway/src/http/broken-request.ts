import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { requestIdHeader } from "@touchstone/contracts";
import type { AnswerHeaders } from "./answer-headers.ts";

// To import a value of this module loads all that it offers, WebSockets among it: 11 MB that a gateway never uses.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

export interface BrokenRequests {
  /** Notes each request that did arrive, with its answer. */
  remember(request: IncomingMessage, response: ServerResponse): void;
  /** Answers what is no request, and ends the connection: nobody knows where the next request would begin. */
  refuse(error: Error & { code?: string }, socket: Socket): void;
}

/**
 * Deals with what never becomes a request: bytes that are not HTTP, headers without end, a client that stopped in the
 * middle (408). Where an earlier request of the connection still waits for its answer, the connection just ends: the
 * client would take the refusal for that answer.
 */
export function createBrokenRequests(answerHeaders: AnswerHeaders): BrokenRequests {
  const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();

  function isItsTurn(socket: Socket): boolean {
    const last = latest.get(socket);
    if (last === undefined) return true;
    if (last.request.complete) return last.response.writableFinished;
    // It is the last request itself that broke. It has a socket once all answers before its own are out.
    return last.response.socket !== null && !last.response.headersSent;
  }

  return {
    remember(request, response) {
      latest.set(request.socket, { request, response });
    },
    refuse(error, socket) {
      if (error.code === "ECONNRESET" || !socket.writable || !isItsTurn(socket)) {
        socket.destroy();
        return;
      }
      // A client that keeps its side open must not keep ours.
      socket.end(renderRefusal(error.code, answerHeaders), () => socket.destroy());
    },
  };
}

function renderRefusal(code: string | undefined, answerHeaders: AnswerHeaders): string {
  const [status, message] = describe(code);
  const body = JSON.stringify({ statusCode: status, message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${randomUUID()}`,
    ...Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`),
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

function describe(code: string | undefined): [status: number, message: string] {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return [408, "The request did not arrive in time."];
  if (code === "HPE_HEADER_OVERFLOW")
    return [431, "The address and the headers of the request are too large together."];
  return [400, "The request is not valid HTTP."];
}
