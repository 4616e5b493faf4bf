import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, requestIdHeader } from "@touchstone/contracts";
import type { AnswerHeaders } from "./answer-headers.ts";

// Importing a value of this module loads all of its exports, including WebSockets: 11 MB that a gateway never uses.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Node's code for a request that did not arrive in time. */
const lateCode = "ERR_HTTP_REQUEST_TIMEOUT";

export interface BrokenRequests {
  /** Records each request with its answer. `onRefused` is called if its body is broken or late, and that is answered. */
  remember(request: IncomingMessage, response: ServerResponse, onRefused: (code: ErrorCode) => void): void;
  /** Answers bytes that are not a request, and ends the connection: the start of a next request cannot be found. */
  refuse(error: Error & { code?: string }, socket: Socket): void;
}

/**
 * Handles what never becomes a request: bytes that are not HTTP, endless headers, a client that stopped in the middle
 * (408). If an earlier request of the connection still waits for its answer, the connection is closed without one: the
 * client would mistake the refusal for that answer.
 */
export function createBrokenRequests(answerHeaders: AnswerHeaders): BrokenRequests {
  const latest = new WeakMap<
    Socket,
    { request: IncomingMessage; response: ServerResponse; onRefused(code: ErrorCode): void }
  >();

  function isItsTurn(socket: Socket): boolean {
    const last = latest.get(socket);
    if (last === undefined) return true;
    if (last.request.complete) return last.response.writableFinished;
    // The last request itself is broken. It has a socket once all answers before its own are sent.
    return last.response.socket !== null && !last.response.headersSent;
  }

  return {
    remember(request, response, onRefused) {
      latest.set(request.socket, { request, response, onRefused });
    },
    refuse(error, socket) {
      if (error.code === "ECONNRESET" || !socket.writable || !isItsTurn(socket)) {
        socket.destroy();
        return;
      }
      const last = latest.get(socket);
      // The end of the connection in the middle of a body is that of a client that has gone.
      if (last?.request.complete === false && error.code !== "HPE_INVALID_EOF_STATE") {
        last.onRefused(error.code === lateCode ? "request_timeout" : "bad_request");
      }
      // A client that keeps its side open must not keep the server's side open.
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
  if (code === lateCode) return [408, "The request did not arrive in time."];
  if (code === "HPE_HEADER_OVERFLOW")
    return [431, "The address and the headers of the request are too large together."];
  return [400, "The request is not valid HTTP."];
}
